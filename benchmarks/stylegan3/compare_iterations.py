#!/usr/bin/env python3
"""Compares training steps of a StyleGAN3-T, a quarter as wide as published, with eager PyTorch, in turn, in one run.

    benchmarks/stylegan3/compare_iterations.py [--build build/release] [--rounds 3] [--resolution 32] [--width 128]

Needs a Python with torch of the version that ganscale was built with. What counts is the mean over 16 steps, in which
every phase comes as often as in a long run, and of that the median of the rounds. Exit code 1 if ganscale is less than
1.2 times as fast, needs more than 80% of PyTorch's resident memory, or has other numbers of parameters.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

SPEED_NEEDED = 1.2
MEMORY_LIMIT = 0.8
# The preset without augmentation.
CONFIG = """
model:
  preset: stylegan3-t
  resolution: {resolution}
  channel_base: {base}
  channel_max: {width}
  z_dim: {width}
  w_dim: {width}
training: {{precision: fp32}}
discriminator: {{r1_gamma: 0.5}}
augment: {{name: none}}
"""


def main():
    parser = timing.comparison_options(__doc__, batch=16, steps=16)
    parser.add_argument("--resolution", type=int, default=32)
    parser.add_argument("--width", type=int, default=128, help="most channels of a layer: 512 as published")
    parser.add_argument("--modulate", default="features", choices=["weights", "features"],
                        help="how PyTorch modulates: features, which is faster on a CPU, or weights as in the paper")
    arguments = parser.parse_args()
    shape = {"resolution": arguments.resolution, "width": arguments.width}
    config = CONFIG.format(base=64 * arguments.width, **shape)
    theirs = [sys.executable, str(HERE / "stylegan3_pytorch.py"), "--modulate", arguments.modulate]
    for name, value in shape.items():
        theirs += [f"--{name}", str(value)]
    contenders = {timing.OURS: timing.training_of(arguments, config), timing.EAGER: theirs}
    speed, share = timing.compare(contenders, arguments, statistics.mean)
    return timing.judge(speed, SPEED_NEEDED, share, MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
