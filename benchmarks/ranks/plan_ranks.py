#!/usr/bin/env python3
"""Predicts the time of two ranks from one's, with one thread per rank, and measures it.

    benchmarks/ranks/plan_ranks.py [--mnist FOLDER] [--rounds 5] [--batch 64] [--steps 60]

`ganscale bench` measures DC-GAN on MNIST on one rank with the whole batch and with half of it, and on two ranks;
`ganscale plan --machine cpu` is calibrated with the former two. Claim: what it says of two ranks with the whole batch is
within 15% of what they take (medians of the rounds). Exit code 1 if it is not.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "configs/runs/mnist-dcgan.yaml"
NEEDED = 0.15


def with_settings(settings):
    return [word for setting in settings for word in ("--set", setting)]


def measure(arguments, ranks, batch):
    """Returns bench's results."""
    launcher = ["mpirun", "--bind-to", "none", "-n", str(ranks)]
    if os.getuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    settings = [f"data.path={arguments.mnist}", f"training.batch={batch}", "training.threads=1",
                "measure.warmup_steps=10", f"measure.steps={arguments.steps}"]
    done = subprocess.run([*launcher, arguments.build / "bin/ganscale", "bench", "--config", CONFIG, "--json",
                           *with_settings(settings)],
                          check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return json.loads(done.stdout)


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
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=60, help="of each measurement")
    arguments = parser.parse_args()
    points = {"one rank": (1, arguments.batch), "one rank, half the batch": (1, arguments.batch // 2),
              "two ranks": (2, arguments.batch)}
    seconds = {name: [] for name in points}
    for number in range(arguments.rounds):
        for name, (ranks, batch) in points.items():
            measured = measure(arguments, ranks, batch)
            seconds[name].append(measured["seconds_per_kimg"])
            terms = "  ".join(f"{term} {1e3 * spread['mean']:.1f}" for term, spread in measured["step_seconds"].items())
            print(f"round {number + 1}  {name:25} {seconds[name][-1]:7.3f} s/kimg, ms of a step: {terms}", flush=True)
    whole, half, two = (statistics.median(values) for values in seconds.values())
    with tempfile.TemporaryDirectory() as folder:
        predicted = predict(arguments, whole, half, Path(folder))
    error = predicted / two - 1
    print(f"two ranks: predicted {predicted:.3f} s/kimg, measured {two:.3f}: {error:+.1%} (needed: within {NEEDED:.0%})")
    return 0 if abs(error) <= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
