#!/usr/bin/env python3
"""Compares training steps of an R3GAN at 32x32, a quarter as wide as published, with eager PyTorch, in turn, in one run.

    benchmarks/r3gan/compare_steps.py [--build build/release] [--rounds 3] [--width 192]

Needs a Python with torch of the version that ganscale was built with. What counts is the median step of a round, and
of that the median. Exit code 1 if ganscale is less than 1.3 times as fast, needs more than 70% of PyTorch's resident
memory, or has other numbers of parameters.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

SPEED_NEEDED = 1.3
MEMORY_LIMIT = 0.7
# What configs/presets/r3gan-cifar10.yaml says, without augmentation and schedules.
CONFIG = """
model: {{name: r3gan, resolution: 32, conditional: true, channel_max: {width}}}
training: {{precision: fp32}}
loss: {{name: relativistic, first: discriminator}}
generator: {{optimizer: {{name: adam, learning_rate: 2e-4, betas: [0, 0.9], epsilon: 1e-8}}}}
discriminator:
  optimizer: {{name: adam, learning_rate: 2e-4, betas: [0, 0.9], epsilon: 1e-8}}
  r1_gamma: 0.05
  r2_gamma: 0.05
  penalty_phase: main
"""
LABELS = 10


def main():
    parser = timing.comparison_options(__doc__, batch=16, steps=4)
    parser.add_argument("--width", type=int, default=192, help="channels of all stages: 768 as published")
    arguments = parser.parse_args()
    config = CONFIG.format(width=arguments.width)
    contenders = {timing.OURS: timing.training_of(arguments, config, LABELS),
                  timing.EAGER: [sys.executable, str(HERE / "r3gan_pytorch.py"), "--width", str(arguments.width)]}
    speed, share = timing.compare(contenders, arguments, statistics.median)
    return timing.judge(speed, SPEED_NEEDED, share, MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
