#!/usr/bin/env python3
"""Compares a DC-GAN 64x64 training step of ganscale with eager PyTorch, in turn, in one run.

    benchmarks/step/compare.py [--build build/release] [--rounds 3]

Needs a Python with torch of the version that ganscale was built with. Each round starts both
programs one after the other; what counts is the median of all steps. Exit code 1 if ganscale is
slower or needs 60% of PyTorch's resident memory or more.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMORY_LIMIT = 0.6


def measure(command, arguments):
    command = [*command, "--threads", str(arguments.threads), "--batch", str(arguments.batch),
               "--steps", str(arguments.steps)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(arguments.threads)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5, help="timed steps a round")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()

    program = arguments.build / "bin/step_benchmark"
    if not os.access(program, os.X_OK):
        sys.exit(f"no {program}: build the target step_benchmark first, or name its build folder with --build")
    contenders = {
        "ganscale": [str(program)],
        "PyTorch": [sys.executable, str(HERE / "step_pytorch.py")],
    }
    results = {name: [] for name in contenders}
    for number in range(arguments.rounds):
        for name, command in contenders.items():
            result = measure(command, arguments)
            results[name].append(result)
            print(f"round {number + 1}  {name:9} {statistics.median(result['step_seconds']):.3f} s"
                  f"  {result['peak_resident_mib']:.0f} MiB", flush=True)

    seconds = {name: statistics.median(second for result in rounds
                                       for second in result["step_seconds"])
               for name, rounds in results.items()}
    memory = {name: max(result["peak_resident_mib"] for result in rounds)
              for name, rounds in results.items()}
    speed_ratio = seconds["PyTorch"] / seconds["ganscale"]
    memory_ratio = memory["ganscale"] / memory["PyTorch"]
    print(f"step: ganscale {seconds['ganscale']:.3f} s, PyTorch {results['PyTorch'][0]['torch']} "
          f"{seconds['PyTorch']:.3f} s: {speed_ratio:.2f} times as fast (needed: 1.00)")
    print(f"peak resident memory: ganscale {memory['ganscale']:.0f} MiB, PyTorch "
          f"{memory['PyTorch']:.0f} MiB: {memory_ratio:.0%} (needed: under {MEMORY_LIMIT:.0%})")
    return 0 if speed_ratio >= 1 and memory_ratio < MEMORY_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
