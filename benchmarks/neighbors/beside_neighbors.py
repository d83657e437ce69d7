#!/usr/bin/env python3
"""Measures a training next to other work: one process that computes, or one for each core.

    benchmarks/neighbors/beside_neighbors.py [--rounds 3] [--steps 20]

Claims: next to a busy process, a training keeps at least 40% of its rate on idle cores with a rank on each core, as `ganscale launch`
starts it, and 35% with one process of all threads. Its threads, which soon sleep while they wait for each other, lose at most 5% on idle
cores compared with threads that spin (OMP_WAIT_POLICY=active). There is no claim for a busy process on each core, where half of the rate
would be the fair share. Exit code 1 if a claim does not hold. The machine must be idle otherwise.
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
ONE, RANKS = "one process", "a rank a core"
LEAST_KEPT = {ONE: 0.35, RANKS: 0.40}
MOST_LOST = 0.05


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
               "--config", ROOT / "configs/runs/mnist-digits.yaml", "--channels", "1", "--labels", "10", "--set", 'data.path=""',
               "--set", "measure.warmup_steps=3", "--set", f"measure.steps={arguments.steps}"]
    environment = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
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
        rates = {name: [] for name in ("idle", "spinning", "one neighbor", "a neighbor a core")}
        for number in range(arguments.rounds):
            rates["idle"].append(images_per_second(arguments, mode))
            rates["spinning"].append(images_per_second(arguments, mode, "active"))
            for name, count in (("one neighbor", 1), ("a neighbor a core", CORES)):
                with neighbors(count):
                    rates[name].append(images_per_second(arguments, mode))
            print(f"round {number + 1}  {mode:13} images/s  " + "  ".join(f"{name} {each[-1]:.0f}" for name, each in rates.items()),
                  flush=True)
        idle, spinning, one, each = (statistics.median(values) for values in rates.values())
        failed |= one / idle < LEAST_KEPT[mode] or 1 - idle / spinning > MOST_LOST
        print(f"{mode}: {one / idle:.0%} of the idle rate next to a busy process (needed: {LEAST_KEPT[mode]:.0%}), "
              f"{each / idle:.0%} with one on each core; {max(1 - idle / spinning, 0):.1%} slower than spinning when idle "
              f"(at most {MOST_LOST:.0%})")
    sys.exit(failed)


if __name__ == "__main__":
    main()
