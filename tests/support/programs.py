"""The programs under test, how they exit, waiting for them, and what they leave."""
import json
import os
import pathlib
import socket
import time

BIN = pathlib.Path(__file__).resolve().parent.parent.parent / "build/release/bin"
WORKER = os.environ.get("GANSCALE_WORKER", str(BIN / "ganscale"))
OPERATOR = os.environ.get("GANSCALE_OPERATOR", str(BIN / "ganscale-operator"))
WRONG_CONFIGURATION = 78
MPIRUN_2 = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
# The section of a configuration that chooses each scheme.
SCHEMES = {"synchronous": "", "asynchronous": "scheme: {name: asynchronous, max_staleness: 2}\n", "per_label": "scheme: {name: per_label}\n"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds=200):
    """Returns what `condition` returns, once that is true. Raises TimeoutError if it takes longer."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError("a program did not get as far as expected")
        time.sleep(0.05)
    return value


def stats_logs(run):
    """Returns the statistics of a run, or of its labels, that there are. Nothing else is listed: a checkpoint may go meanwhile."""
    return [*run.glob("stats.jsonl"), *run.glob("labels/*/stats.jsonl")]


def checkpoint_manifests(run):
    """Returns the manifests of the complete checkpoints of a run, or of its labels."""
    return [*run.glob("checkpoints/kimg-*/manifest.json"), *run.glob("labels/*/checkpoints/kimg-*/manifest.json")]


def newest_digests(run):
    """Returns the SHA-256 of the files of a run's newest checkpoint; of a run with a model for each label, one map for each."""
    newest = {}
    for manifest in sorted(checkpoint_manifests(run)):
        newest[manifest.parent.parent] = json.loads(manifest.read_text())["files"]
    return [{name: entry["sha256"] for name, entry in files.items()} for _, files in sorted(newest.items())]
