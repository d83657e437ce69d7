"""Real workers of trainings that run on this machine, as their pods would: a pod's address is one of this machine's."""
import base64
import subprocess
import sys

from control_plane import PROJECT, free_ports

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import WORKER  # noqa: E402
from write_images import write_png  # noqa: E402


class WorkersHere:
    def __init__(self, case):
        self.case = case
        self.folder = case.cluster.folder / "workers"
        (self.folder / "images").mkdir(parents=True)
        for i in range(64):
            write_png(self.folder / "images" / f"{i:02}.png")
        subprocess.run([WORKER, "data", "convert", "--from", self.folder / "images", "--to", self.folder / "data",
                        "--resolution", "32"], check=True)

    def spec(self):
        """Returns the spec of a training on one node that start() can run."""
        return {"nodeProfile": "cpu", "checkpointDeadlineSeconds": 120, "config": {
            "model": {"name": "dcgan", "resolution": 32, "channels": 0.125}, "data": {"path": f"{self.folder}/data"},
            "training": {"total_kimg": 1000, "batch": 8, "tick_kimg": 0.04, "threads": 1},
            "checkpoint": {"every_kimg": 2}, "telemetry": {"metrics_port": -1, "control_port": free_ports(1)[0]}}}

    def run_folder(self, name):
        return self.folder / f"{name}-run"

    def start(self, name, attempt):
        """Runs the worker of an attempt. Returns its process; its log is worker-ATTEMPT."""
        config = self.case.cluster.get("cm", f"{name}-settings")["data"]["config.yaml"]
        token = self.case.cluster.get("secret", f"{name}-control")["data"]["token"]
        (self.folder / "config.yaml").write_text(config)
        (self.folder / "token").write_bytes(base64.b64decode(token))
        environment = {variable["name"]: variable["value"]
                       for variable in self.case.pods(name)[0]["spec"]["containers"][0]["env"]}
        return self.case.cluster.start(
            f"worker-{attempt}", WORKER, "train", "--config", self.folder / "config.yaml", "--run", self.run_folder(name),
            "--set", f"telemetry.token_file={self.folder}/token", env=environment)
