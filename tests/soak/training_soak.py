#!/usr/bin/env python3
"""Trains for a long time with two ranks, sends commands, scrapes metrics, and reports whether memory, file descriptors, threads
and disk grow.

  make soak MINUTES=60
  tests/soak/training_soak.py --scheme asynchronous --minutes 600 --run /scratch/soak

A run that is there goes on. The program ends with 1 if something grows: if the 95% confidence interval of its slope lies above
the limit."""
import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request

from growth import READ_EVERY_SECONDS, minutes, read_process, report

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import MPIRUN_2, SCHEMES, WORKER, stats_logs, wait_until  # noqa: E402
from write_images import write_idx  # noqa: E402

BATCH, RECORDS, EXTENT, LABELS = 8, 512, 32, 2
TOKEN = "soak"
GROWS_BY_DESIGN = {".jsonl", ".log"}


def write_inputs(folder, scheme, evaluates):
    write_idx(folder / "data", RECORDS, EXTENT, LABELS)
    (folder / "token").write_text(TOKEN)
    labels = ", labels: ignore" if scheme != "per_label" else ""
    evaluation = "evaluate: {metrics: [fid256], every_kimg: 2, cache: statistics, feature_net: net.pt}\n" if evaluates else ""
    (folder / "run.yaml").write_text(f"""\
data: {{path: data{labels}}}
model: {{name: dcgan, resolution: {EXTENT}, channels: 0.125}}
training: {{total_kimg: 1000000, batch: {BATCH}, device: cpu, threads: 1, tick_kimg: 0.4, samples_every_kimg: 0}}
checkpoint: {{every_kimg: 1, keep_last: 2}}
telemetry: {{metrics_port: 0, control_port: 0, token_file: token}}
{evaluation}{SCHEMES[scheme]}""")


def write_feature_net(file):
    """Returns whether Python has torch, which a feature network needs."""
    try:
        import torch
    except ImportError:
        return False

    class Net(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.avg_pool2d(x / 255, 16).flatten(1)

    torch.jit.script(Net()).save(str(file))
    return True


def rank_processes(launcher):
    children = pathlib.Path(f"/proc/{launcher.pid}/task").glob("*/children")
    return [int(pid) for file in children for pid in file.read_text().split()]


def disk_mib(folder):
    """Checkpoints may go while they are listed: os.walk() passes over a folder that does."""
    total = 0
    for parent, _, names in os.walk(folder):
        for file in (pathlib.Path(parent, name) for name in names):
            with contextlib.suppress(FileNotFoundError):
                total += file.stat().st_size if file.suffix not in GROWS_BY_DESIGN else 0
    return total / 2**20


def port_of(log, server):
    """Returns the port that the log names for a server of the training."""
    return int(re.search(rf"^Serving {server}  port=(\d+)", log.read_text(errors="replace"), re.MULTILINE).group(1))


class Soak:
    """A training, and what was read of it: {"rank 0 memory MiB": [(hours, value), ...]}."""

    def __init__(self, folder, scheme):
        self.folder, self.run = folder, folder / "run"
        self.scheme = scheme
        self.readings = {}
        self.commands = self.scrapes = 0
        if not (folder / "run.yaml").exists():
            folder.mkdir(parents=True, exist_ok=True)
            # Scheme per_label evaluates at its end only.
            write_inputs(folder, scheme, scheme != "per_label" and write_feature_net(folder / "net.pt"))
        self.output = (folder / "output").open("wb")
        self.launcher = subprocess.Popen([*MPIRUN_2, WORKER, "train", "--config", "run.yaml", "--run", "run"], cwd=folder, stdout=self.output,
                                         stderr=subprocess.STDOUT, env={**os.environ, "OMP_NUM_THREADS": "1"})

    def read(self, hours):
        for rank, pid in enumerate(sorted(rank_processes(self.launcher))):
            for name, value in read_process(pid).items():
                self.readings.setdefault(f"rank {rank} {name}", []).append((hours, value))
        self.readings.setdefault("disk MiB", []).append((hours, disk_mib(self.run)))

    def request(self, port, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers), timeout=30) as reply:
            return reply.read()

    def command(self, port, chance):
        """Sends a command at random; one that pauses is followed by one that resumes."""
        words = chance.choice([["checkpoint"], ["pause", "resume"], []])
        for word in words:
            self.request(port, "/commands", {"command": word})
            self.commands += 1
            time.sleep(0.2)
        self.request(port, "/status")

    def require_training(self):
        if self.launcher.poll() is not None:
            raise RuntimeError(f"the training has ended with {self.launcher.returncode}: see {self.output.name}")

    def train(self, length):
        wait_until(lambda: self.launcher.poll() is not None or stats_logs(self.run))
        self.require_training()
        log = pathlib.Path(self.output.name)
        metrics, control = port_of(log, "metrics"), port_of(log, "status and commands")
        chance = random.Random(1)
        began = time.monotonic()
        while (passed := time.monotonic() - began) < 60 * length:
            self.require_training()
            self.request(metrics, "/metrics")
            self.scrapes += 1
            if self.scheme != "per_label":  # which takes only stop
                self.command(control, chance)
            self.read(passed / 3600)
            time.sleep(READ_EVERY_SECONDS)

    def stop(self):
        self.launcher.send_signal(signal.SIGUSR1)  # a checkpoint, and the end
        self.launcher.wait(timeout=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheme", choices=SCHEMES, action="append", help="default: each")
    parser.add_argument("--minutes", type=minutes, default=60, help="of each scheme")
    parser.add_argument("--run", type=pathlib.Path, default=pathlib.Path("runs/soak"), help="a folder for each scheme goes there")
    options = parser.parse_args()
    grows = False
    for scheme in options.scheme or SCHEMES:
        soak = Soak((options.run / scheme).resolve(), scheme)
        try:
            soak.train(options.minutes)
        finally:
            soak.stop()
        print(f"{scheme}: {soak.commands} commands, {soak.scrapes} scrapes")
        grows |= report(soak.readings)
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
