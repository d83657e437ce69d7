"""A dataset that changes while a training reads it. What can't be read any more ends the training with the name of the file and
of the record, and nothing is lost: with the dataset as it was, it resumes to the result of an undisturbed one. What is only
written to is told."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from programs import WORKER, newest_digests, wait_until  # noqa: E402
from thorough import thorough  # noqa: E402
from write_images import WRITERS  # noqa: E402

WRONG_DATA = 65
WRITTEN = "was written to after it was opened"
OPTIONS = ["training.batch=8", "training.tick_kimg=0.008", "training.samples_every_kimg=0", "training.threads=1", "training.grid_rows=1",
           "training.grid_columns=1", "training.total_kimg=0.8", "model.channels=0.125", "checkpoint.every_kimg=0.08",
           "telemetry.metrics_port=-1", "telemetry.control_port=-1"]


def truncate(file):
    os.truncate(file, file.stat().st_size // 2)


def overwrite(file):
    with file.open("r+b") as opened:
        opened.write(random.Random(2).randbytes(file.stat().st_size))


def grow(file):
    with file.open("ab") as opened:
        opened.write(random.Random(2).randbytes(5000))


def replace(file):
    other = file.with_name("other")
    other.write_bytes(random.Random(2).randbytes(file.stat().st_size))
    other.rename(file)


class ChangedDataset(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def prepare(self, name):
        """Writes a dataset. Returns it and its largest file."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        data = WRITERS[name](folder)
        file = data if data.is_file() else max((file for file in data.rglob("*") if file.is_file()), key=lambda file: file.stat().st_size)
        return data, file

    def start(self, data):
        return subprocess.Popen([WORKER, "train", "--data", data, "--run", data.parent / "run", *(f"--set={option}" for option in OPTIONS)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})

    def train(self, data, change=None):
        """Returns exit code and output of a training; change() is called after some steps."""
        stats = data.parent / "run/stats.jsonl"
        with self.start(data) as training:
            if change:
                wait_until(lambda: training.poll() is not None or (stats.exists() and stats.read_text().count("\n") >= 15))
                change()
            output, _ = training.communicate(timeout=200)
        return training.returncode, output

    def test_that_becomes_unreadable_ends_the_training_which_resumes_to_the_same_result(self):
        damages = {("folder", truncate), ("zip", overwrite), ("tfrecord", truncate)}
        for name, change in sorted(thorough(damages | {("folder", os.unlink), ("folder", overwrite), ("zip", truncate), ("tar", truncate),
                                                       ("tar", overwrite), ("tfrecord", overwrite), ("idx", truncate)}, damages), key=str):
            with self.subTest(f"{name} {change.__name__}"):
                data, file = self.prepare(name)
                code, output = self.train(data)
                self.assertEqual(code, 0, output)
                undisturbed = newest_digests(data.parent / "run")
                shutil.rmtree(data.parent / "run")
                shutil.copy2(file, self.folder / "whole")
                code, output = self.train(data, lambda: change(file))
                self.assertEqual(code, WRONG_DATA, output)
                # A checkpoint may still be written in the background after that.
                self.assertRegex(output, rf"(?m)^ganscale: error: .*{file.name}.*, record \d+")
                shutil.copy2(self.folder / "whole", file)
                code, output = self.train(data)
                self.assertEqual(code, 0, output)
                self.assertIn("Resuming", output)
                self.assertEqual(newest_digests(data.parent / "run"), undisturbed)

    def test_that_is_written_to_is_reported(self):
        for name, change in thorough([("idx", overwrite), ("idx", grow), ("zip", grow), ("tar", grow), ("tfrecord", grow)],
                                     [("idx", overwrite)]):
            with self.subTest(f"{name} {change.__name__}"):
                data, file = self.prepare(name)
                code, output = self.train(data, lambda: change(file))
                self.assertEqual(code, 0, output)
                self.assertEqual(output.count(WRITTEN), 1, output)

    def test_that_is_replaced_by_name_is_read_to_the_end(self):
        for name, change in thorough([(name, change) for name in ("zip", "tar", "tfrecord", "idx") for change in (replace, os.unlink)],
                                     [("tar", replace)]):
            with self.subTest(f"{name} {change.__name__}"):
                data, file = self.prepare(name)
                code, output = self.train(data, lambda: change(file))
                self.assertEqual(code, 0, output)
                self.assertNotIn(WRITTEN, output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
