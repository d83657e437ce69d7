"""A tiny training with all that a run writes and reads, and what is left of it after a fault of its storage."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "tests/support"))
from programs import WORKER  # noqa: E402
from write_images import write_idx  # noqa: E402

PRELOADED = os.environ.get("STORAGE_FAULTS_LIBRARY", str(PROJECT / "build/release/tests/integration/libstorage_faults.so"))
EXTENT, RECORDS, BATCH = 32, 16, 8
LONGEST_SECONDS = 120  # a run takes two; what takes longer hangs
WHOLE_IMAGES = 32
CONFIGURATION = """\
data: {path: data, labels: ignore, shard: fixed, cache: {folder: records}}
model: {name: dcgan, resolution: 32, channels: 0.125}
training: {batch: 8, device: cpu, threads: 1, tick_kimg: 0.008, samples_every_kimg: 0.016, grid_rows: 1, grid_columns: 2,
            tensorboard: true}
checkpoint: {every_kimg: 0.008, keep_last: 2, keep_best: fid16}
evaluate: {metrics: [fid16], every_kimg: 0.016, cache: statistics, feature_net: net.pt}
telemetry: {metrics_port: -1, control_port: -1}
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A call of a trace, and what becomes of it and of the calls of its name after it."""
    call: str  # "write 2 run/stats.jsonl"
    kind: str
    count: int = 1

    @property
    def name(self):
        return self.call.split(" ")[0]

    @property
    def path(self):
        return self.call.split(" ")[2]

    def __str__(self):
        return f"{self.kind}{f' x{self.count}' if self.count > 1 else ''} at {self.call}"


@dataclasses.dataclass
class Ended:
    code: int | None  # None: it had not ended after LONGEST_SECONDS
    output: str
    calls: list
    hit: bool

    @property
    def complaints(self):
        return [line for line in self.output.splitlines() if line.startswith(("ganscale: warning", "ganscale: error"))]


def write_feature_net(path):
    """Writes a feature network of twelve features, and as many logits."""
    try:
        import torch
    except ImportError as error:
        raise unittest.SkipTest(f"Python has no torch: {error}") from error

    class Net(torch.nn.Module):
        def forward(self, x):
            features = torch.nn.functional.avg_pool2d(x / 255, 16).flatten(1)
            return features, 10 * features

    torch.jit.script(Net()).save(path)


def write_inputs(folder):
    """Writes a dataset, a feature network, and the configuration."""
    write_idx(folder / "data", RECORDS, EXTENT)
    write_feature_net(str(folder / "net.pt"))
    (folder / "run.yaml").write_text(CONFIGURATION)


def run_with_fault(command, folder, watched, fault=None):
    """Runs a command in a folder. watched: the files and folders whose calls are traced, and in which the fault is, if one is given."""
    trace = folder / "trace"
    trace.unlink(missing_ok=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "LD_PRELOAD": PRELOADED, "GANSCALE_ATTEMPT": "tiny/1",
                   "STORAGE_FAULTS_FOLDERS": ":".join(str(folder / name) for name in watched), "STORAGE_FAULTS_TRACE": str(trace)}
    if fault:
        environment |= {"STORAGE_FAULTS_AT": fault.call, "STORAGE_FAULTS_KIND": fault.kind,
                        "STORAGE_FAULTS_COUNT": str(fault.count)}
    try:
        ended = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", timeout=LONGEST_SECONDS, check=False)
        code, output = ended.returncode, ended.stdout
    except subprocess.TimeoutExpired as late:
        code, output = None, (late.stdout or b"").decode(errors="replace")
    lines = trace.read_text().splitlines() if trace.exists() else []
    return Ended(code, output, [line for line in lines if not line.startswith("!")], any(line.startswith("!") for line in lines))


class Training:
    """A training in a folder of its own."""

    def __init__(self, folder, start_from=None):
        """start_from: the folder of a training to continue."""
        self.folder = folder
        self.run = folder / "run"
        if start_from is None:
            write_inputs(folder)
        else:
            shutil.copytree(start_from, folder)

    def train(self, images, fault=None):
        """Trains to this number of images, with a fault if one is given."""
        command = [WORKER, "train", "--config", "run.yaml", "--run", "run", f"--set=training.total_kimg={images / 1000}"]
        return run_with_fault(command, self.folder, ("run", "data", "statistics", "records", "net.pt"), fault)

    def checkpoints(self):
        """Returns the digests of the files of each checkpoint, oldest first. Raises ValueError for one that is not whole."""
        folders = sorted((self.run / "checkpoints").glob("kimg-*"))
        return {folder.name: self.digests(folder) for folder in folders}

    @staticmethod
    def digests(checkpoint):
        manifest = json.loads((checkpoint / "manifest.json").read_text())
        for name, entry in manifest["files"].items():
            content = (checkpoint / name).read_bytes()
            if hashlib.sha256(content).hexdigest() != entry["sha256"]:
                raise ValueError(f"{checkpoint.name}/{name} is not what its manifest says")
        return {name: entry["sha256"] for name, entry in manifest["files"].items()}

    def temporaries(self):
        """Returns what only exists until it is whole or gone."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path.name.startswith((".tmp-", ".manifest")) or path.suffix in (".tmp", ".partial"))

    def broken_files(self):
        """Returns the files that a reader would find truncated."""
        broken = []
        for path in self.run.glob("*.jsonl"):
            text = path.read_text()
            if text and not text.endswith("\n") or not all(map(is_json, text.splitlines())):
                broken.append(path.name)
        broken += [path.name for path in self.run.glob("samples/*.png") if not path.read_bytes().endswith(b"IEND\xaeB`\x82")]
        config = self.run / "config.yaml"
        if config.exists() and "telemetry:" not in config.read_text():
            broken.append(config.name)
        return broken

    def images_of_lines(self, name):
        path = self.run / name
        return [json.loads(line)["images_seen"] for line in path.read_text().splitlines()] if path.exists() else []


def is_json(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
