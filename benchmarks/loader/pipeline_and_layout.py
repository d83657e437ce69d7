#!/usr/bin/env python3
"""Compares the rate of a training with the loader's prefetching, with the memory layout of networks, with both and with neither (ParaGAN,
the throughput that its pipeline and its layout give together), in fp32.

    benchmarks/loader/pipeline_and_layout.py DATASET [--config FILE] [--rounds 3] [--steps 10] [--set KEY=VALUE]

DATASET is what `ganscale data convert` wrote. Without the pipeline a rank keeps one batch, read by one thread that is never joined by
others; without the layout `training.layout` is plain. All four run `ganscale bench` on one rank of one thread; rounds alternate. Needs an
idle machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_PIPELINE = ["data.prefetch.batches=1", "data.reader_threads=1", "data.prefetch.congestion_aware=false"]
NO_LAYOUT = ["training.layout=plain"]
CASES = {"neither": NO_PIPELINE + NO_LAYOUT, "pipeline": NO_LAYOUT, "layout": NO_PIPELINE, "both": []}


def measure(arguments, settings):
    """Returns the result of `ganscale bench`."""
    settings = [f"data.path={arguments.dataset}", "training.threads=1", "training.precision=fp32", f"measure.steps={arguments.steps}",
                "measure.warmup_steps=2", *arguments.set, *settings]
    words = [arguments.build / "bin/ganscale", "bench", "--json", "--config", arguments.config]
    words += [word for setting in settings for word in ("--set", setting)]
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--config", type=Path, default=ROOT / "configs/runs/cifar10-biggan.yaml")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10, help="measured in each round")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all cases")
    arguments = parser.parse_args()
    rates = {case: [] for case in CASES}
    waits = {case: [] for case in CASES}
    for _ in range(arguments.rounds):
        for case, settings in CASES.items():
            result = measure(arguments, settings)
            rates[case].append(result["images_per_second"])
            waits[case].append(1000 * result["step_seconds"]["data_wait"]["mean"])
    slowest = statistics.median(rates["neither"])
    print("| | images/s | of neither | waiting for data in a step |\n|---|---|---|---|")
    for case, values in rates.items():
        rate = statistics.median(values)
        print(f"| {case} | {rate:.1f} | {rate / slowest:.2f} | {statistics.median(waits[case]):.2f} ms |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
