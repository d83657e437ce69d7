#!/usr/bin/env python3
"""Predicts the time of two ranks from that of one, with one thread per rank, and measures it.

    benchmarks/ranks/plan_ranks.py [--mnist FOLDER] [--rounds 3] [--batch 64] [--kimg 4]

One rank trains DC-GAN on MNIST with the whole batch and with half of it; `ganscale plan --machine cpu` is calibrated with
both. Claim: what it says of two ranks with the whole batch is within 15% of what they take. Exit code 1 if it is not.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "configs/runs/mnist-dcgan.yaml"
QUIET = ["telemetry.metrics_port=-1", "telemetry.control_port=-1", "training.samples_every_kimg=0",
         "checkpoint.every_kimg=0", "training.threads=1"]
NEEDED = 0.15


def with_settings(settings):
    return [word for setting in settings for word in ("--set", setting)]


def seconds_per_kimg(arguments, ranks, batch, folder):
    """Trains and returns the median of the ticks but the first."""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    launcher = ["mpirun", "--bind-to", "none", "-n", str(ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    settings = [*QUIET, f"data.path={arguments.mnist}", f"training.batch={batch}",
                f"training.total_kimg={arguments.kimg}", f"training.tick_kimg={arguments.kimg / 8}"]
    subprocess.run([*launcher, arguments.build / "bin/ganscale", "train", "--config", CONFIG, "--run", run,
                    *with_settings(settings)],
                   check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    ticks = [json.loads(line) for line in (run / "stats.jsonl").read_text().splitlines()]
    return statistics.median(tick["s_per_kimg"] for tick in ticks[1:])


def predict(arguments, whole, half, folder):
    """Returns the seconds per kimg that the planner says of two ranks with the whole batch."""
    measured = folder / "measured.yaml"
    measured.write_text(f"points:\n  - {{gpus: 1, batch: {arguments.batch}, seconds_per_kimg: {whole}}}\n"
                        f"  - {{gpus: 1, batch: {arguments.batch // 2}, seconds_per_kimg: {half}}}\n")
    done = subprocess.run([arguments.build / "bin/ganscale", "plan", "--config", CONFIG, "--machine", "cpu", "--gpus", "1",
                           "--nodes", "1", "--channels", "1", "--calibrate", measured, "--json",
                           *with_settings([f"training.batch={arguments.batch}"])],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["rows"][1]["seconds_per_kimg"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("GANSCALE_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--mnist", type=Path, default=shared / "data/mnist", help="folder of the IDX files")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--kimg", type=float, default=4, help="of each training")
    arguments = parser.parse_args()
    points = {"one rank": (1, arguments.batch), "one rank, half the batch": (1, arguments.batch // 2),
              "two ranks": (2, arguments.batch)}
    seconds = {name: [] for name in points}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for number in range(arguments.rounds):
            for name, (ranks, batch) in points.items():
                seconds[name].append(seconds_per_kimg(arguments, ranks, batch, folder))
                print(f"round {number + 1}  {name:25} {seconds[name][-1]:7.3f} s/kimg", flush=True)
        whole, half, two = (statistics.median(values) for values in seconds.values())
        predicted = predict(arguments, whole, half, folder)
    error = predicted / two - 1
    print(f"two ranks: predicted {predicted:.3f} s/kimg, measured {two:.3f}: {error:+.1%} (needed: within {NEEDED:.0%})")
    return 0 if abs(error) <= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
