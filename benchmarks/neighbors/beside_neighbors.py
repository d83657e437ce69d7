#!/usr/bin/env python3
"""Measures a training next to other work: a process that computes on each core.

    benchmarks/neighbors/beside_neighbors.py [--rounds 3] [--steps 20]

Claims: beside as many busy processes as cores a training keeps at least 40% of its rate on idle cores, with one
process of all threads and with a rank on each core; and its threads, which sleep while they wait for each other,
lose at most 5% on idle cores against threads that spin (OMP_WAIT_POLICY=active). Exit code 1 where one does not hold. The
machine must be idle otherwise.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORES = len(os.sched_getaffinity(0))
LEAST_KEPT, MOST_LOST = 0.40, 0.05
ONE, RANKS = "one process", "a rank a core"


@contextlib.contextmanager
def neighbors(count):
    """Keeps `count` cores busy, each by a process of the usual priority."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def images_per_second(arguments, mode, policy=None):
    command = [arguments.build / "bin/ganscale", *(["launch", "-n", str(CORES)] if mode == RANKS else []), "bench", "--json",
               "--config", ROOT / "configs/runs/mnist-digits.yaml", "--channels", "1", "--labels", "10", "--set", "data.path=",
               "--set", "measure.warmup_steps=3", "--set", f"measure.steps={arguments.steps}"]
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    if policy:
        environment["OMP_WAIT_POLICY"] = policy
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, check=True, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["images_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    failed = False
    for mode in (ONE, RANKS):
        idle, spinning, beside = [], [], []
        for number in range(arguments.rounds):
            idle.append(images_per_second(arguments, mode))
            spinning.append(images_per_second(arguments, mode, "active"))
            with neighbors(CORES):
                beside.append(images_per_second(arguments, mode))
            print(f"round {number + 1}  {mode:13} images/s idle {idle[-1]:7.1f}  spinning {spinning[-1]:7.1f}  "
                  f"beside {CORES} neighbors {beside[-1]:7.1f}", flush=True)
        kept = statistics.median(beside) / statistics.median(idle)
        lost = 1 - statistics.median(idle) / statistics.median(spinning)
        failed |= kept < LEAST_KEPT or lost > MOST_LOST
        print(f"{mode}: {kept:.0%} of the idle rate beside neighbors (needed: {LEAST_KEPT:.0%}), "
              f"{max(lost, 0):.1%} slower than spinning when idle (at most {MOST_LOST:.0%})")
    sys.exit(failed)


if __name__ == "__main__":
    main()
