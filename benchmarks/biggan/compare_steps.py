#!/usr/bin/env python3
"""Compares training steps of a BigGAN at 32x32 of ganscale with PyTorch, eager and compiled, in turn, in one run.

    benchmarks/biggan/compare_steps.py [--build build/release] [--rounds 3] [--channels 64]

Needs a Python with torch of the version that ganscale was built with, and a C++ compiler. What counts is the median step
of a round, and of that the median. Exit code 1 if ganscale is less than 1.1 times as fast as eager PyTorch, needs more than
80% of its resident memory, or has other numbers of parameters.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

SPEED_NEEDED = 1.1
MEMORY_LIMIT = 0.8
# The recipe of BigGAN-PyTorch in a single pass, averaging from the start.
CONFIG = """
model: {{preset: biggan-pytorch, resolution: 32, generator_channels: {ch}, discriminator_channels: {ch}}}
training: {{accumulate: 1}}
generator: {{ema_start_kimg: 0}}
"""
LABELS = 10


def main():
    parser = timing.comparison_options(__doc__, batch=16, steps=4)
    parser.add_argument("--channels", type=int, default=64, help="the paper's ch: widths are four times as large")
    arguments = parser.parse_args()
    config = CONFIG.format(ch=arguments.channels)
    pytorch = [sys.executable, str(HERE / "biggan_pytorch.py"), "--channels", str(arguments.channels)]
    contenders = {timing.OURS: timing.training_of(arguments, config, LABELS), **timing.eager_and_compiled(pytorch)}
    speed, share = timing.compare(contenders, arguments, statistics.median)
    return timing.judge(speed, SPEED_NEEDED, share, MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
