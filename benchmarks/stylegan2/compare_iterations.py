#!/usr/bin/env python3
"""Compares StyleGAN2 training steps of ganscale (small preset, 64x64) with eager PyTorch, in turn.

    benchmarks/stylegan2/compare_iterations.py [--build build/release] [--rounds 3]

Needs a Python with torch of the version that ganscale was built with. What counts is the mean over 16
steps, in which every phase comes as often as in a long run, and of that the median of the rounds. Exit
code 1 if ganscale is less than 1.1 times as fast or needs more than 80% of PyTorch's resident memory.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPEED_NEEDED = 1.1
MEMORY_LIMIT = 0.8


def measure(command, arguments):
    command = [*command, "--threads", str(arguments.threads), "--batch", str(arguments.batch)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(arguments.threads)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    program = arguments.build / "bin/stylegan2_benchmark"
    if not os.access(program, os.X_OK):
        sys.exit(f"no {program}: build the target stylegan2_benchmark first, or give --build")
    contenders = {"ganscale": [str(program)],
                  "PyTorch": [sys.executable, str(HERE / "stylegan2_pytorch.py")]}
    seconds = {name: [] for name in contenders}
    memory = {name: 0 for name in contenders}
    for number in range(arguments.rounds):
        for name, command in contenders.items():
            result = measure(command, arguments)
            seconds[name].append(statistics.mean(result["step_seconds"]))
            memory[name] = max(memory[name], result["peak_resident_mib"])
            print(f"round {number + 1}  {name:9} {seconds[name][-1]:.3f} s  "
                  f"{result['peak_resident_mib']:.0f} MiB", flush=True)
    speed = statistics.median(seconds["PyTorch"]) / statistics.median(seconds["ganscale"])
    share = memory["ganscale"] / memory["PyTorch"]
    print(f"step: {speed:.2f} times as fast (needed: {SPEED_NEEDED})")
    print(f"peak resident memory: {share:.0%} (needed: at most {MEMORY_LIMIT:.0%})")
    return 0 if speed >= SPEED_NEEDED and share <= MEMORY_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
