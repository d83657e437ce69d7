#!/usr/bin/env python3
"""Compares training steps of a DC-GAN at 64x64 of ganscale with PyTorch, eager and compiled, in turn, in one run.

    benchmarks/step/compare.py [--build build/release] [--rounds 3]

Needs a Python with torch of the version that ganscale was built with, and a C++ compiler. What counts is the median step
of a round, and of that the median. Exit code 1 if ganscale is slower than eager PyTorch, needs more than 60% of its resident
memory, or has other numbers of parameters.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

SPEED_NEEDED = 1
MEMORY_LIMIT = 0.6
CONFIG = """
model: {name: dcgan, resolution: 64}
loss: {first: discriminator}
"""


def main():
    arguments = timing.comparison_options(__doc__, batch=64, steps=4).parse_args()
    contenders = {timing.OURS: timing.training_of(arguments, CONFIG),
                  **timing.eager_and_compiled([sys.executable, str(HERE / "step_pytorch.py")])}
    speed, share = timing.compare(contenders, arguments, statistics.median)
    return timing.judge(speed, SPEED_NEEDED, share, MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
