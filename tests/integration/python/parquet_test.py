"""Parquet files that pyarrow writes as the library `datasets` of Hugging Face does are the same dataset as their images in folders."""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from programs import WORKER  # noqa: E402
from write_images import write_png  # noqa: E402

try:
    import pyarrow
    from pyarrow import parquet
except ImportError:
    print("pyarrow is missing (scripts/setup.sh build)")
    sys.exit(77)

NAMES, IMAGES, EXTENT = ["cat", "dog", "owl"], 30, 32
WRONG_DATA = 65
# As datasets 4 writes it; the library reads nothing else from a file.
METADATA = json.dumps({"info": {"features": {"image": {"_type": "Image"}, "label": {"names": NAMES, "_type": "ClassLabel"}}}})
ONE_STEP = ["training.batch=8", "training.total_kimg=0.008", "training.samples_every_kimg=0", "training.threads=1", "training.grid_rows=1",
            "training.grid_columns=1", "model.channels=0.125", "telemetry.metrics_port=-1", "telemetry.control_port=-1"]


def run(*words):
    result = subprocess.run([WORKER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200)
    return result.returncode, result.stdout


class Parquet(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.photos = self.folder / "photos"
        for number in range(IMAGES):
            folder = self.photos / NAMES[number * len(NAMES) // IMAGES]
            folder.mkdir(parents=True, exist_ok=True)
            write_png(folder / f"{number:03}.png", EXTENT)

    def table(self, start, end, label_of=lambda file: NAMES.index(file.parent.name)):
        files = sorted(self.photos.rglob("*.png"))[start:end]
        images = pyarrow.array([{"bytes": file.read_bytes(), "path": file.name} for file in files],
                               pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())]))
        table = pyarrow.table({"image": images, "label": pyarrow.array(list(map(label_of, files)), pyarrow.int64())})
        return table.replace_schema_metadata({"huggingface": METADATA})

    def write(self, name="data", **options):
        """Writes two files of the training split, and one of another with unknown labels, as the Hub has them."""
        folder = self.folder / name
        folder.mkdir()
        options = {"row_group_size": 4, **options}
        parquet.write_table(self.table(0, 13), folder / "train-00000-of-00002.parquet", **options)
        parquet.write_table(self.table(13, IMAGES), folder / "train-00001-of-00002.parquet", **options)
        parquet.write_table(self.table(0, 5, lambda file: -1), folder / "test-00000-of-00001.parquet", **options)
        return folder

    def converted(self, source, name):
        """Returns the digests of what `convert` makes of a dataset, but for the index, which has a time in it."""
        folder = self.folder / "converted" / name / "records"
        folder.parent.mkdir(parents=True)
        code, output = run("data", "convert", "--from", source, "--to", folder, "--resolution", EXTENT)
        self.assertEqual(code, 0, output)
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir() if file.suffix != ".index"}

    def test_images_and_labels_are_those_of_the_folder(self):
        expected = self.converted(self.photos, "photos")
        self.assertEqual(len(expected), 3)  # images, labels and their names
        data = self.write()
        self.assertEqual(self.converted(data, "folder"), expected)
        self.assertEqual(self.converted(data / "train-{00000..00001}-of-00002.parquet", "pattern"), expected)

    def test_every_encoding_is_read(self):
        expected = self.converted(self.photos, "photos")
        for number, options in enumerate([{"compression": name} for name in ("none", "zstd", "gzip", "brotli", "lz4")] +
                                         [{"version": "1.0"}, {"data_page_version": "2.0"}, {"use_dictionary": False},
                                          {"data_page_size": 500}, {"write_page_checksum": True}]):
            with self.subTest(**options):
                self.assertEqual(self.converted(self.write(f"data{number}", **options), str(number)), expected)

    def test_inspect_counts_the_labels_by_name(self):
        code, output = run("data", "inspect", self.write())
        self.assertEqual(code, 0, output)
        self.assertRegex(output, rf"records +{IMAGES}\n")
        for label, name in enumerate(NAMES):
            self.assertRegex(output, rf"(?m)^ +{label} +10  {name}$")

    def test_a_training_reads_it(self):
        code, output = run("train", "--data", self.write(), "--run", self.folder / "run", *(f"--set={option}" for option in ONE_STEP))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, rf"records={IMAGES}  labels=3 ")

    def test_unknown_labels_and_damage_are_refused_with_file_and_row(self):
        file = self.write() / "test-00000-of-00001.parquet"
        code, output = run("data", "inspect", file)
        self.assertEqual(code, WRONG_DATA, output)
        self.assertIn(f"{file}, row 0", output)
        file.write_bytes(file.read_bytes()[:-100])
        code, output = run("data", "verify", file)
        self.assertEqual(code, WRONG_DATA, output)
        self.assertIn(str(file), output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
