"""A rank whose memory is exhausted in a cgroup with a limit, as in a pod: the kernel kills it, the others end at once, and the run resumes
to the result of an undisturbed one."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from programs import MPIRUN_2, SCHEMES, WORKER, checkpoint_manifests, newest_digests, wait_until  # noqa: E402
from small_run import write_small_run  # noqa: E402
from thorough import thorough  # noqa: E402

STEPS = 400
MEMORY = pathlib.Path("/sys/fs/cgroup/memory")  # of cgroup v1
UNIFIED = pathlib.Path("/sys/fs/cgroup")  # of cgroup v2
FILLED_BYTES = 256 * 2**20
RANK = 1  # whose memory is exhausted


class MemoryGroup:
    """A cgroup whose memory can be limited. Raises SkipTest where none can be made."""

    def __init__(self, name):
        is_old = MEMORY.is_dir()
        self.folder = (MEMORY if is_old else UNIFIED) / f"ganscale-test-{os.getpid()}-{name}"
        self.used_file, self.limit_file = ("memory.usage_in_bytes", "memory.limit_in_bytes") if is_old else ("memory.current", "memory.max")
        try:
            self.folder.mkdir()
        except OSError as error:
            raise unittest.SkipTest(f"no cgroup can be made: {error}") from error
        try:
            self.used()
            (self.folder / self.limit_file).read_text()
        except OSError as error:
            self.folder.rmdir()
            raise unittest.SkipTest(f"no cgroup with a memory limit can be made: {error}") from error
        for file in ("memory.swappiness", "memory.swap.max"):  # of v1 and of v2
            with contextlib.suppress(OSError):
                (self.folder / file).write_text("0")
        # Started at once: it has to be quick when it is told to fill the memory.
        fill = "import sys; sys.stdin.readline(); filled = b'x' * int(sys.argv[1]); sys.stdin.readline()"
        join = f'echo $$ >"{self.folder}/cgroup.procs"; exec "$@"'
        self.filler = subprocess.Popen(["sh", "-c", join, "sh", sys.executable, "-c", fill, str(FILLED_BYTES)], stdin=subprocess.PIPE)

    def used(self):
        return int((self.folder / self.used_file).read_text())

    def exhaust(self):
        """Limits the memory, and fills it: the kernel kills the rank, which says that it may be killed first."""
        (self.folder / self.limit_file).write_text(str(self.used() + FILLED_BYTES // 8))
        self.filler.stdin.write(b"\n")
        self.filler.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.filler.kill()
        self.filler.communicate()
        wait_until(self.is_removed)

    def is_removed(self):
        """Ends what is left, and removes the group once that is gone."""
        with contextlib.suppress(OSError):
            for pid in (self.folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        return not self.folder.exists()


class Training:
    def __init__(self, folder, group=None):
        self.folder, self.run = folder, folder / "run"
        join = ""
        if group:
            join = (f'[ $OMPI_COMM_WORLD_RANK != {RANK} ] || '
                    f'{{ echo $$ >"{group.folder}/cgroup.procs"; echo 1000 >/proc/self/oom_score_adj; }}; ')
        command = f'{join}exec "{WORKER}" train --config run.yaml --run run'
        with (folder / "output").open("wb") as output:
            self.launcher = subprocess.Popen([*MPIRUN_2, "sh", "-c", command], cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                                             env={**os.environ, "OMP_NUM_THREADS": "1"})

    def has_ended(self):
        return self.launcher.poll() is not None

    def wait_for_a_checkpoint(self):
        wait_until(lambda: self.has_ended() or checkpoint_manifests(self.run))
        assert not self.has_ended(), self.output()

    def output(self):
        return (self.folder / "output").read_text(errors="replace")

    def kill(self):
        self.launcher.kill()
        self.launcher.wait()


class ExhaustedMemory(unittest.TestCase):
    def start(self, folder, group=None):
        training = Training(folder, group)
        self.addCleanup(training.kill)
        return training

    def folder(self, scheme):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_small_run(folder, scheme, STEPS, timeout_seconds=15)
        return folder

    def assert_resumes(self, training, scheme):
        again = self.start(training.folder)
        self.assertEqual(again.launcher.wait(timeout=120), 0, again.output())
        if scheme == "asynchronous":  # whose result depends on who was faster
            return
        undisturbed = self.start(self.folder(scheme))
        self.assertEqual(undisturbed.launcher.wait(timeout=120), 0, undisturbed.output())
        self.assertEqual(newest_digests(again.run), newest_digests(undisturbed.run))

    def test_kills_a_rank_and_the_run_resumes(self):
        for scheme in thorough(SCHEMES, ["synchronous", "asynchronous"]):
            with self.subTest(scheme):
                folder = self.folder(scheme)
                with MemoryGroup(scheme) as group:
                    training = self.start(folder, group)
                    training.wait_for_a_checkpoint()
                    group.exhaust()
                    self.assertEqual(training.launcher.wait(timeout=120), 128 + signal.SIGKILL, training.output())
                self.assert_resumes(training, scheme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
