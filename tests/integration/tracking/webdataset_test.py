"""Shards that the library webdataset writes are read as one dataset, with their labels."""
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tracking_python import PROJECT, use_tracking_python

use_tracking_python()
sys.path.insert(0, str(PROJECT / "tests/support"))
import webdataset  # noqa: E402
from PIL import Image  # noqa: E402
from programs import WORKER  # noqa: E402

WRONG_DATA = 65
SAMPLES = 30


def encoded(value, form):
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (value, 0, 0)).save(file, form)
    return file.getvalue()


class Webdataset(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, sample_of):
        """Writes three shards; sample_of: makes the sample of a number."""
        folder = self.folder / name
        folder.mkdir()
        with webdataset.ShardWriter(str(folder / "train-%04d.tar"), maxcount=10, verbose=0) as shards:
            for number in range(SAMPLES):
                shards.write({"__key__": f"sample{number:06d}", **sample_of(number)})
        self.assertEqual(len(list(folder.glob("*.tar"))), 3)
        return folder

    def run_data(self, *words):
        result = subprocess.run([WORKER, "data", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False, timeout=200)
        return result.returncode, result.stdout

    def expect_labels(self, path, counts):
        code, output = self.run_data("inspect", path)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, rf"records +{sum(counts)}\b")
        self.assertRegex(output, rf"labels +{len(counts)}\b")
        for label, count in enumerate(counts):
            self.assertRegex(output, rf"(?m)^ +{label} +{count}\b")

    def test_labels_are_in_class_files(self):
        folder = self.write("a", lambda number: {"jpg": encoded(number, "JPEG"), "cls": number % 3})
        self.expect_labels(folder, [10, 10, 10])
        self.expect_labels(folder / "train-{0000..0001}.tar", [7, 7, 6])

    def test_labels_are_in_json(self):
        folder = self.write("b", lambda number: {"png": encoded(number, "PNG"), "json": {"label": number % 5, "caption": "a cat"}})
        self.expect_labels(folder, [6] * 5)

    def test_other_members_are_skipped_with_one_warning(self):
        folder = self.write("c", lambda number: {"webp": encoded(number, "WEBP"), "txt": "a cat", "json": {"caption": "a cat"}})
        code, output = self.run_data("inspect", folder)
        self.assertEqual(code, 0, output)
        self.assertEqual(output.count("30 .txt"), 1, output)

    def test_a_conversion_keeps_images_and_labels(self):
        folder = self.write("d", lambda number: {"png": encoded(8 * number, "PNG"), "cls": number % 2})
        code, output = self.run_data("convert", "--from", folder, "--to", self.folder / "converted", "--resolution", 8)
        self.assertEqual(code, 0, output)
        self.expect_labels(self.folder / "converted", [15, 15])

    def test_a_shard_that_ends_early_is_refused_with_file_and_offset(self):
        folder = self.write("e", lambda number: {"jpg": encoded(number, "JPEG"), "cls": number % 3})
        shard = folder / "train-0001.tar"
        whole = shard.read_bytes()
        for size in (len(whole) // 3, 3 * 512, 700):
            shard.write_bytes(whole[:size])
            code, output = self.run_data("inspect", folder)
            self.assertEqual(code, WRONG_DATA, output)
            self.assertRegex(output, r"tar file is (truncated|damaged).*train-0001\.tar.*offset \d+")


if __name__ == "__main__":
    unittest.main(verbosity=2)
