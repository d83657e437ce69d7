"""Ranks on two hosts whose network is cut, delays messages for a second, or loses one frame in twenty; and a slow rank. The
training goes on to the result of an undisturbed one, or every rank ends soon after comm.timeout with 75 and says so; then it
resumes to that result."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from programs import SCHEMES, WORKER, newest_digests, stats_logs, wait_until  # noqa: E402
from small_run import write_small_run  # noqa: E402
from wire import Wire, mpirun, mpirun_variables, start_agent  # noqa: E402

TIMEOUT_SECONDS = 15
PEER_LOST = 75
STEPS = 60


class Training:
    """A training on two hosts, a rank on each, started from the first."""

    def __init__(self, folder, wire):
        self.folder, self.wire = folder, wire
        self.run = folder / "run"
        self.output_file = folder / "output"
        rank = f'"{WORKER}" train --config run.yaml --run run & pid=$!; echo $pid >pid.$OMPI_COMM_WORLD_RANK; wait $pid; ' \
               'code=$?; echo $code >code.$OMPI_COMM_WORLD_RANK; exit $code'
        command = [*mpirun(start_agent(folder, wire.hosts), wire.hosts), "sh", "-c", rank]
        for file in folder.glob("code.*"):
            file.unlink()
        with self.output_file.open("wb") as output:
            self.launcher = subprocess.Popen(wire.hosts[0].command(*command), cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                                             env={**os.environ, "OMP_NUM_THREADS": "1"})

    def wait_for_steps(self, count):
        """Waits until the run has a line for each of so many steps."""
        wait_until(lambda: self.launcher.poll() is not None or self.steps() >= count)
        assert self.launcher.poll() is None, self.output()

    def steps(self):
        return sum(len(log.read_text().splitlines()) for log in stats_logs(self.run))

    def pid(self, rank):
        return int((self.folder / f"pid.{rank}").read_text())

    def codes(self):
        """Returns the exit codes of the ranks; nothing before all have ended."""
        texts = [file.read_text() for file in sorted(self.folder.glob("code.*"))]
        return [int(text) for text in texts] if len(texts) == len(self.wire.hosts) and all(texts) else None

    def end(self):
        """Waits until the launcher has ended, and returns its exit code."""
        return self.launcher.wait(timeout=120)

    def output(self):
        return self.output_file.read_text(errors="replace")


class CutOff(unittest.TestCase):
    results = {}  # of undisturbed trainings, by their scheme

    def setUp(self):
        self.wire = self.enterContext(Wire())

    def start(self, scheme, timeout_seconds=TIMEOUT_SECONDS):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_small_run(folder, scheme, STEPS, timeout_seconds)
        training = Training(folder, self.wire)
        self.addCleanup(self.kill, training)
        return training

    def kill(self, training):
        for rank in range(2):
            try:
                os.kill(training.pid(rank), signal.SIGKILL)
            except (OSError, ValueError):
                pass  # it has ended, or has not begun
        training.launcher.kill()
        training.launcher.wait()

    def undisturbed(self, scheme):
        if scheme not in self.results:
            training = self.start(scheme)
            self.assertEqual(training.end(), 0, training.output())
            self.results[scheme] = newest_digests(training.run)
        return self.results[scheme]

    def assert_same_result(self, training, scheme):
        self.assertEqual(training.end(), 0, training.output())
        if scheme != "asynchronous":  # whose result depends on who was faster
            self.assertEqual(newest_digests(training.run), self.undisturbed(scheme))

    def test_a_cut_ends_both_sides_and_the_run_resumes(self):
        for scheme in SCHEMES:
            with self.subTest(scheme):
                training = self.start(scheme)
                training.wait_for_steps(15)
                self.wire.is_cut = True
                codes = wait_until(training.codes, seconds=3 * TIMEOUT_SECONDS)
                self.assertEqual(codes, [PEER_LOST, PEER_LOST], training.output())
                self.assertIn("waiting_rank=0", training.output())
                self.kill(training)  # mpirun waits for the other host
                self.wire.is_cut = False
                again = Training(training.folder, self.wire)
                self.addCleanup(self.kill, again)
                self.assert_same_result(again, scheme)

    def test_launch_does_not_wait_long_for_a_host_out_of_reach(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_small_run(folder, "synchronous", STEPS, TIMEOUT_SECONDS)
        (folder / "hosts").write_text("".join(f"{host.address} slots=1\n" for host in self.wire.hosts))
        words = [WORKER, "launch", "--hostfile", "hosts", "train", "--config", "run.yaml", "--run", "run"]
        variables = {**mpirun_variables(start_agent(folder, self.wire.hosts)), "OMP_NUM_THREADS": "1", "GANSCALE_MPIRUN_SECONDS": "2"}
        stats, output = folder / "run/stats.jsonl", folder / "output"
        with output.open("wb") as file:
            launch = subprocess.Popen(self.wire.hosts[0].command(*words), cwd=folder, stdout=file, stderr=subprocess.STDOUT,
                                      env={**os.environ, **variables})
        self.addCleanup(launch.kill)
        wait_until(lambda: launch.poll() is not None or (stats.exists() and stats.read_text().count("\n") >= 15))
        self.wire.is_cut = True
        code = launch.wait(timeout=4 * TIMEOUT_SECONDS)
        self.wire.is_cut = False
        self.assertEqual(code, PEER_LOST, output.read_text())
        self.assertIn("Killed mpirun, which waited for a machine", output.read_text())

    def disturb(self, disturb, timeout_seconds=TIMEOUT_SECONDS):
        """Trains by each scheme, and disturbs the training once it is under way."""
        for scheme in SCHEMES:
            with self.subTest(scheme):
                training = self.start(scheme, timeout_seconds)
                training.wait_for_steps(15)
                disturb(training)
                self.assert_same_result(training, scheme)

    def test_a_short_cut_changes_no_number(self):
        def cut(_):
            self.wire.is_cut = True
            time.sleep(4)
            self.wire.is_cut = False
        self.disturb(cut, timeout_seconds=60)  # what was lost is sent again after up to twice as long

    def test_late_messages_change_no_number(self):
        def delay(training):
            self.wire.delay_seconds = 1
            training.wait_for_steps(training.steps() + 1)
            self.wire.delay_seconds = 0
        self.disturb(delay, timeout_seconds=120)  # an all-reduce takes several messages, one after the other

    def test_lost_frames_change_no_number(self):
        self.wire.loss = 0.05
        self.addCleanup(setattr, self.wire, "loss", 0)
        self.disturb(lambda training: training.end())

    def test_a_slow_rank_changes_no_number(self):
        def slow_down(training):
            pid = training.pid(1)
            for _ in range(20):
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.09)
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.01)
        self.disturb(slow_down)


if __name__ == "__main__":
    unittest.main(verbosity=2)
