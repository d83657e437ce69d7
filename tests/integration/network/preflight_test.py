"""A preflight of hosts at a switch, one of which has a throttled link: it names that one and ends with 69. A training that
requires a preflight does not begin on them; one that only warns does."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from programs import WORKER  # noqa: E402
from write_images import write_idx  # noqa: E402
from switch import Switch  # noqa: E402
from wire import mpirun, start_agent  # noqa: E402

BELOW_FLOOR = 69
PREFIX = "ganscale: preflight: "
SLOW_MEGABITS = 16  # 0.002 GB/s, of which an all-reduce reaches half
FLOOR = "0.003"  # a busy machine reaches three times that


class Preflight(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_on(self, hosts, *arguments):
        """Runs a rank on each host; returns mpirun's exit code, what it printed, and the result that it found."""
        command = [*mpirun(start_agent(self.folder, hosts), hosts), WORKER, *arguments]
        ended = subprocess.run(hosts[0].command(*command), cwd=self.folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
        lines = [line for line in ended.stdout.splitlines() if line.startswith(PREFIX)]
        return ended.returncode, ended.stdout, json.loads(lines[0].removeprefix(PREFIX)) if lines else None

    def expect_faulty(self, hosts, slow, floor=FLOOR):
        code, output, found = self.run_on(hosts, "preflight", "--floor", floor)
        self.assertEqual(code, BELOW_FLOOR, output)
        self.assertEqual([node["host"] for node in found["faulty_nodes"]], [host.name for host in slow], output)
        for host in slow:
            self.assertIn(host.name, [line for line in output.splitlines() if line.startswith("ganscale: error: ")][0])

    def test_the_slow_one_of_several_nodes_is_named(self):
        for count, slow in [(4, 0), (3, 1)]:
            with self.subTest(count), Switch(count) as switch:
                code, output, found = self.run_on(switch.hosts, "preflight", "--floor", FLOOR)
                self.assertEqual(code, 0, output)
                self.assertEqual((found["nodes"], found["ranks"], found["message"]), (count, count, ""))
                self.expect_faulty(switch.hosts, [], floor="1000")  # none reaches that: none stands out
                switch.hosts[slow].throttle(SLOW_MEGABITS)
                self.expect_faulty(switch.hosts, [switch.hosts[slow]])

    def test_both_of_two_nodes_are_named(self):
        with Switch(2) as switch:
            switch.hosts[1].throttle(SLOW_MEGABITS)
            self.expect_faulty(switch.hosts, switch.hosts)

    def test_a_training_that_requires_it_does_not_begin(self):
        write_idx(self.folder / "data", 16, 32, 2)
        train = ["train", "--data", "data", "--run", "run", "--floor", FLOOR,
                 *(word for key in ("training.batch=6", "training.total_kimg=0.012", "training.device=cpu", "model.channels=0.125",
                                    "telemetry.metrics_port=-1", "telemetry.control_port=-1") for word in ("--set", key))]
        with Switch(3) as switch:
            switch.hosts[2].throttle(SLOW_MEGABITS)
            code, output, _ = self.run_on(switch.hosts, *train, "--preflight", "require")
            self.assertEqual(code, BELOW_FLOOR, output)
            self.assertFalse((self.folder / "run").exists())
            code, output, found = self.run_on(switch.hosts, *train, "--preflight", "warn")
            self.assertEqual(code, 0, output)
            self.assertEqual([node["host"] for node in found["faulty_nodes"]], [switch.hosts[2].name])


if __name__ == "__main__":
    unittest.main(verbosity=2)
