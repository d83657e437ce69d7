"""The operator and a real worker: the status shows what rank 0 reports, and a command stops it."""
import signal
import unittest

from control_plane import wait_for
from operator_case import FOUR_OF_EACH, OperatorCase
from workers_here import WorkersHere


class Worker(OperatorCase):
    nodes = FOUR_OF_EACH

    def test_reports_its_progress_and_stops_on_request(self):
        workers = WorkersHere(self)
        name = self.training("real", **workers.spec())
        self.wait_running(name, 1)
        first = workers.start(name, 1)
        kimg = wait_for("progress is told", lambda: self.status(name).get("kimg"), 120)
        self.assertGreater(kimg, 0)
        self.assertEqual(self.status(name)["totalKimg"], 1000)
        wait_for("the rate is told", lambda: self.status(name).get("secondsPerKimg"))

        # Suspend: the worker is asked to stop; its own end, not the deadline, is what is waited for.
        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":true}}')
        self.assertEqual(first.wait(timeout=60), 0, self.cluster.log("worker-1")[-2000:])
        self.assertTrue(list((workers.run_folder(name) / "checkpoints").iterdir()))
        self.end_launcher(name, 0)
        self.wait_phase(name, "Suspended")
        self.assertNotIn("CheckpointDeadline", {event["reason"] for event in self.events(name)})
        before = self.status(name)["kimg"]

        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":false}}')
        self.wait_running(name, 2)
        self.assertNotIn("kimg", self.status(name))  # of a training without storage
        second = workers.start(name, 2)
        wait_for("it went on from its checkpoint", lambda: self.status(name).get("kimg", 0) > before, 120)
        wait_for("a checkpoint is told", lambda: self.status(name).get("lastCheckpoint", {}).get("name"), 120)
        self.assertEqual(self.condition(name, "Checkpointed")["status"], "True")
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(timeout=60), 143)
        self.end_launcher(name, 143)
        self.wait_running(name, 3)
        self.assertEqual(self.status(name)["restarts"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
