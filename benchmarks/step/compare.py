#!/usr/bin/env python3
"""Compares a DC-GAN 64x64 training step of ganscale with PyTorch, eager and compiled, in turn, in one run.

    benchmarks/step/compare.py [--build build/release] [--rounds 3]

Needs a Python with torch of the version that ganscale was built with, and a C++ compiler. Each round starts both
programs one after the other; what counts is the median step of a round, and of that the median. Exit
code 1 if ganscale is slower than eager PyTorch or needs 60% of its resident memory or more.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

MEMORY_LIMIT = 0.6


def main():
    arguments = timing.comparison_options(__doc__, batch=64, steps=5).parse_args()
    contenders = {timing.OURS: [timing.program_of(arguments, "step_benchmark")],
                  **timing.eager_and_compiled([sys.executable, str(HERE / "step_pytorch.py")])}
    speed, share = timing.compare(contenders, arguments, statistics.median)
    print(f"{speed:.2f} times as fast (needed: 1.00), {share:.0%} of the memory (needed: under {MEMORY_LIMIT:.0%})")
    return 0 if speed >= 1 and share < MEMORY_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
