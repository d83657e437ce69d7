"""What a new user does first: a training on a folder of images, on all cores, and its end by Ctrl-C."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "tests/support"))
from programs import MPIRUN_2, WORKER, WRONG_CONFIGURATION, wait_until  # noqa: E402
from write_images import write_png  # noqa: E402

WRONG_USE, WRONG_DATA, STOPPED = 64, 65, 143
IMAGES = 8
TINY = [f"--set={key}" for key in
        ("training.batch=4", "training.tick_kimg=0.004", "training.samples_every_kimg=0", "training.grid_rows=1",
         "training.grid_columns=1", "training.threads=1", "model.channels=0.125")]
SHORT = [*TINY, "--set=training.total_kimg=0.008"]
LONG = [*TINY, "--set=training.total_kimg=1000000"]


def environment(**changes):
    """The environment of a user, who sets nothing about OpenMP."""
    kept = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    return {**kept, **changes}


def run(*words):
    result = subprocess.run([WORKER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False, timeout=300, env=environment())
    return result.returncode, result.stdout


class FirstRun(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_folder = self.folder / "run"

    def write_images(self, *folders):
        """Writes images into folders in turn; returns the folder above them."""
        for number in range(IMAGES):
            folder = self.folder / "photos" / folders[number % len(folders)]
            folder.mkdir(parents=True, exist_ok=True)
            write_png(folder / f"{number}.png")
        return self.folder / "photos"

    def start(self, *words, **changes):
        process = subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env=environment(**changes), start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def expect_stopped(self, process, number):
        """Sends a signal to a training that takes steps, and expects a checkpoint and no explanations."""
        wait_until(lambda: (self.run_folder / "stats.jsonl").exists() or process.poll() is not None, seconds=300)
        process.send_signal(number)
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, STOPPED, output)
        self.assertIn("Stopped by a signal, after a checkpoint", output)
        self.assertNotIn("-----", output)  # as Open MPI frames what it explains
        self.assertTrue(list((self.run_folder / "checkpoints").glob("kimg-*/manifest.json")))


class Configuration(FirstRun):
    def test_is_reported_once_by_all_ranks(self):
        for question, answer in (("--check-config", "The configuration is valid"), ("--print-layout", "layout auto on")):
            with self.subTest(question):
                code, output = run("launch", "-n", 2, "train", question)
                self.assertEqual(code, 0, output)
                self.assertEqual(output.count(answer), 1, output)


class Training(FirstRun):
    def expect_report(self, data):
        code, output = run("launch", "-n", 2, "train", "--data", data, "--run", self.run_folder, *SHORT)
        self.assertEqual(code, 0, output)
        self.assertIn("ranks=2", output)
        self.assertEqual(run("report", self.run_folder)[0], 0)
        self.assertTrue((self.run_folder / "report.html").exists())
        return output

    def test_on_a_flat_folder(self):
        self.assertIn("model: {name: dcgan,", self.expect_report(self.write_images(".")))

    def test_on_a_folder_of_classes(self):
        self.assertIn("model: {name: conditional_dcgan,", self.expect_report(self.write_images("cat", "dog")))

    def test_on_a_zip(self):
        self.write_images(".")
        with zipfile.ZipFile(self.folder / "photos.zip", "w") as archive:
            for image in (self.folder / "photos").iterdir():
                archive.write(image, image.name)
        self.expect_report(self.folder / "photos.zip")

    def test_on_a_tar(self):
        self.write_images("cat", "dog")
        with tarfile.open(self.folder / "photos.tar", "w") as archive:
            archive.add(self.folder / "photos", "photos")
        self.expect_report(self.folder / "photos.tar")


class Mistakes(FirstRun):
    def test_no_data(self):
        code, output = run("train", "--run", self.run_folder)
        self.assertEqual(code, WRONG_CONFIGURATION)
        self.assertIn("data.path is not set", output)

    def test_more_ranks_than_the_machine_has(self):
        code, output = run("launch", "-n", 99999, "train", "--data", self.write_images("."), "--run", self.run_folder)
        self.assertEqual(code, WRONG_USE)
        self.assertIn("more ranks than this machine has", output)
        self.assertFalse(self.run_folder.exists())

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_a_run_folder_that_not_all_nodes_see(self):
        (self.folder / "run-1").mkdir()
        (self.folder / "run-1/config.yaml").write_text("training: {seed: 7}\n")
        rank = f'exec "$0" "$@" --run {self.folder}/run-$OMPI_COMM_WORLD_RANK'
        process = self.start(*MPIRUN_2, "sh", "-c", rank, WORKER, "train", "--data", self.write_images("."), *SHORT)
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, WRONG_CONFIGURATION, output)
        self.assertIn("the ranks have different configurations; do all nodes see the run folder", output)
        self.assertFalse((self.folder / "run-0").exists())

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_ranks_that_evaluate_with_different_settings(self):
        code, output = run("train", "--data", self.write_images("."), "--run", self.run_folder, *SHORT)
        self.assertEqual(code, 0, output)
        rank = 'exec "$0" "$@" --set training.seed=$OMPI_COMM_WORLD_RANK'
        process = self.start(*MPIRUN_2, "sh", "-c", rank, WORKER, "evaluate", "--run", self.run_folder, "--metrics", "fid8")
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, WRONG_CONFIGURATION, output)
        self.assertIn("From rank 0 to rank 1: training.seed: 0 -> 1", output)

    def test_a_verb_without_ranks_is_refused(self):
        code, output = run("launch", "report", "run")
        self.assertEqual(code, WRONG_USE)
        self.assertIn("launch takes one of train, evaluate, bench, preflight", output)

    def test_a_dry_run_reads_images(self):
        words = ["train", "--data", self.write_images("."), "--run", self.run_folder, "--dry-run", *SHORT]
        code, output = run(*words, "--set=model.resolution=64", "--set=data.fit=refuse")
        self.assertEqual(code, WRONG_DATA)
        self.assertIn("image size differs", output)
        code, output = run(*words)
        self.assertEqual(code, 0, output)
        self.assertFalse(self.run_folder.exists())

    def test_the_report_has_the_error_that_ended_a_run(self):
        photos = self.write_images(".")
        (photos / "7.png").write_bytes(b"not an image")
        code, output = run("train", "--data", photos, "--run", self.run_folder, *SHORT)
        self.assertEqual(code, WRONG_DATA, output)
        self.assertEqual(run("report", self.run_folder)[0], 0)
        self.assertIn("Ended with an error: file is not an image in a known format", (self.run_folder / "report.html").read_text())


class Signals(FirstRun):
    def train(self, *launcher):
        return [*launcher, WORKER, "train", "--data", self.write_images("."), "--run", self.run_folder, *LONG]

    def test_ctrl_c_ends_a_launched_run_with_a_checkpoint(self):
        words = self.train()
        self.expect_stopped(self.start(WORKER, "launch", "-n", 2, *words[1:]), signal.SIGINT)

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_usr1_ends_a_run_under_mpirun_with_a_checkpoint(self):
        self.expect_stopped(self.start(*self.train(*MPIRUN_2)), signal.SIGUSR1)


class Waiting(FirstRun):
    def policy_of(self, **changes):
        """The policy that the threads of a training find in their environment."""
        process = self.start(WORKER, "train", "--data", self.write_images("."), "--run", self.run_folder, *LONG, **changes)
        wait_until(lambda: self.run_folder.exists() or process.poll() is not None, seconds=300)
        variables = pathlib.Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
        return [variable.decode() for variable in variables if variable.startswith(b"OMP_WAIT_POLICY=")]

    def test_is_passive(self):
        self.assertEqual(self.policy_of(), ["OMP_WAIT_POLICY=passive"])

    def test_is_as_the_user_sets_it(self):
        self.assertEqual(self.policy_of(OMP_WAIT_POLICY="active"), ["OMP_WAIT_POLICY=active"])


if __name__ == "__main__":
    unittest.main()
