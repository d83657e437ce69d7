"""The operator and a real worker: what rank 0 says comes into the status, and it is told to stop."""
import base64
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from control_plane import PROJECT, free_ports, wait_for
from operator_case import OperatorCase

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import WORKER  # noqa: E402
from write_png import write_png  # noqa: E402


class Worker(OperatorCase):
    nodes = {"dgx_nodes": 0, "cpu_nodes": 1}

    def start_worker(self, name, attempt, run):
        """Runs the attempt's worker here, as its pod would: its address is one of this machine's."""
        config = self.cluster.get("cm", f"{name}-config")["data"]["config.yaml"]
        token = self.cluster.get("secret", f"{name}-control")["data"]["token"]
        (self.folder / "config.yaml").write_text(config)
        (self.folder / "token").write_bytes(base64.b64decode(token))
        environment = {variable["name"]: variable["value"]
                       for variable in self.pods(name)[0]["spec"]["containers"][0]["env"]}
        return self.cluster.start(f"worker-{attempt}", WORKER, "train", "--config", self.folder / "config.yaml",
                                  "--run", run, "--set", f"telemetry.token_file={self.folder}/token", env=environment)

    def test_tells_its_progress_and_stops_when_it_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            (self.folder / "images").mkdir()
            for i in range(64):
                write_png(self.folder / "images" / f"{i:02}.png")
            subprocess.run([WORKER, "data", "convert", "--from", self.folder / "images", "--to", self.folder / "data",
                            "--resolution", "32"], check=True)
            port = free_ports(1)[0]
            name = self.training("real", nodeProfile="cpu", checkpointDeadlineSeconds=120, config={
                "model": {"name": "dcgan", "resolution": 32}, "data": {"path": f"{folder}/data"},
                "training": {"total_kimg": 1000, "batch": 8, "tick_kimg": 0.04, "threads": 1},
                "checkpoint": {"every_kimg": 0.4}, "telemetry": {"metrics_port": -1, "control_port": port}})
            self.wait_running(name, 1)
            first = self.start_worker(name, 1, self.folder / "run")
            kimg = wait_for("progress is told", lambda: self.status(name).get("kimg"), 120)
            self.assertGreater(kimg, 0)
            self.assertEqual(self.status(name)["totalKimg"], 1000)
            wait_for("the rate is told", lambda: self.status(name).get("secondsPerKimg"))

            # Suspend: the worker is asked to stop; its own end, not the deadline, is what is waited for.
            self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":true}}')
            self.assertEqual(first.wait(timeout=60), 0, self.cluster.log("worker-1")[-2000:])
            checkpoints = sorted(path.name for path in (self.folder / "run" / "checkpoints").iterdir())
            self.assertTrue(checkpoints)
            self.end_launcher(name, 0)
            self.wait_phase(name, "Suspended")
            self.assertNotIn("CheckpointDeadline", {event["reason"] for event in self.events(name)})

            self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":false}}')
            self.wait_running(name, 2)
            before = self.status(name)["kimg"]
            second = self.start_worker(name, 2, self.folder / "run")
            wait_for("it went on from its checkpoint", lambda: self.status(name)["kimg"] > before, 120)
            wait_for("a checkpoint is told", lambda: self.status(name).get("lastCheckpoint", {}).get("name"), 120)
            self.assertEqual(self.condition(name, "Checkpointed")["status"], "True")
            second.send_signal(signal.SIGTERM)
            self.assertEqual(second.wait(timeout=60), 143)
            self.end_launcher(name, 143)
            self.wait_running(name, 3)
            self.assertEqual(self.status(name)["restarts"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
