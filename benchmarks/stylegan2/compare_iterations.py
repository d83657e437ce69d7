#!/usr/bin/env python3
"""Compares StyleGAN2 training steps of ganscale (small preset, 64x64) with PyTorch, eager and compiled, in turn.

    benchmarks/stylegan2/compare_iterations.py [--build build/release] [--rounds 3]

Needs a Python with torch of the version that ganscale was built with, and a C++ compiler. What counts is the mean over 16
steps, in which every phase comes as often as in a long run, and of that the median of the rounds. Compiled are the networks
of the main phases: torch.compile has no second derivatives. Exit code 1 if ganscale is less than 1.1 times as fast as eager
PyTorch, needs more than 80% of its resident memory, or has other numbers of parameters.
"""
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

SPEED_NEEDED = 1.1
MEMORY_LIMIT = 0.8


def main():
    parser = timing.comparison_options(__doc__, batch=16, steps=16)
    parser.add_argument("--modulate", default="features", choices=["weights", "features"],
                        help="how PyTorch modulates: features, which is faster on a CPU, or weights as in the paper")
    arguments = parser.parse_args()
    pytorch = [sys.executable, str(HERE / "stylegan2_pytorch.py"), "--modulate", arguments.modulate]
    contenders = {timing.OURS: [timing.program_of(arguments, "stylegan2_benchmark")], **timing.eager_and_compiled(pytorch)}
    speed, share = timing.compare(contenders, arguments, statistics.mean)
    return timing.judge(speed, SPEED_NEEDED, share, MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
