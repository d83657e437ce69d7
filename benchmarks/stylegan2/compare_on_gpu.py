#!/usr/bin/env python3
"""Times StyleGAN2 on one GPU: config-f at 256x256 with 1 to 64 images per step, against PyTorch, eager and compiled.

    benchmarks/stylegan2/compare_on_gpu.py --build build/gpu [--precision bf16]

Claims, of ganscale with training.cuda_graphs: an image takes at most 1.25 times as long at 2 images per step as at 16
(what strong scaling asks of one GPU); at 16 images per step it is at least 1.5 times as fast as eager PyTorch and 1.15
times as fast as its torch.compile form. Without graphs it is measured for comparison. Each number is the mean over 16 steps, in which every phase comes as often as in a long run. Exit
code 1 where a claim does not hold, 77 where there is no GPU or no build for one; what is missing is printed.
"""
import argparse
import os
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

FEW, MANY = 2, 16
MOST_PER_IMAGE = 1.25
GRAPHS = "with graphs"
WARM_UP = {GRAPHS: 64}  # the rarest phase, every 16 steps, is recorded when it comes for the fourth time
SPEED_NEEDED = {"eager PyTorch": 1.5, "torch.compile": 1.15}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/gpu")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64], help="images per step")
    parser.add_argument("--preset", default="config-f")
    parser.add_argument("--resolution", type=int, default=256)
    parser.add_argument("--precision", default="tf32", choices=["fp32", "tf32", "bf16"])
    parser.add_argument("--modulate", default="weights", choices=["weights", "features"], help="how PyTorch modulates")
    parser.add_argument("--device", default="cuda", help="cpu: the same on the CPU, to see that everything runs")
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--warm-up", type=int, default=4, help="steps before, without graphs")
    parser.add_argument("--threads", type=int, default=min(4, len(os.sched_getaffinity(0))))
    return parser.parse_args()


def what_is_missing(arguments):
    """Returns the reason why nothing can be measured here, or None."""
    try:
        import torch
    except ImportError:
        return "this Python has no torch"
    if arguments.device == "cuda" and not torch.cuda.is_available():
        return "PyTorch sees no CUDA device"
    program = arguments.build / "bin/stylegan2_benchmark"
    if not os.access(program, os.X_OK):
        return f"no {program}: scripts/gpu-check.sh build makes it"
    return ""


def contenders(arguments):
    """By name: the command, and the batch sizes it is measured at."""
    pytorch = [sys.executable, str(HERE / "stylegan2_pytorch.py"), "--modulate", arguments.modulate]
    ours = timing.program_of(arguments, "stylegan2_benchmark")
    return {"ganscale": ([ours], [FEW, MANY]),
            GRAPHS: ([ours, "--graphs"], sorted({*arguments.batches, FEW, MANY})),
            "eager PyTorch": (pytorch, [FEW, MANY]),
            "torch.compile": ([*pytorch, "--compile"], [FEW, MANY])}


def measure_all(arguments):
    """Returns the milliseconds per image of each contender, by images per step."""
    milliseconds = {}
    for name, (command, batches) in contenders(arguments).items():
        milliseconds[name] = {}
        for batch in batches:
            result = timing.measure(command, arguments.threads, batch=batch, steps=arguments.steps,
                                    warm_up=WARM_UP.get(name, arguments.warm_up),
                                    device=arguments.device, preset=arguments.preset,
                                    resolution=arguments.resolution, precision=arguments.precision)
            step_ms = statistics.mean(result["step_seconds"]) * 1000
            milliseconds[name][batch] = step_ms / batch
            # Milliseconds per image equal seconds per thousand images.
            print(f"{name:13}  {batch:3} images per step  {step_ms:8.1f} ms per step  {step_ms / batch:7.2f} s/kimg",
                  flush=True)
    return milliseconds


def passes(milliseconds):
    """Prints each claim next to the measurement and returns whether all of them hold."""
    holds = True
    for name, times in milliseconds.items():
        share = times[FEW] / times[MANY]
        needed = f" (needed: at most {MOST_PER_IMAGE})" if name == GRAPHS else ""
        holds &= name != GRAPHS or share <= MOST_PER_IMAGE
        print(f"{name}: an image takes {share:.2f} times as long at {FEW} images per step as at {MANY}{needed}")
    for name, needed in SPEED_NEEDED.items():
        speed = milliseconds[name][MANY] / milliseconds[GRAPHS][MANY]
        holds &= speed >= needed
        print(f"{MANY} images per step: {speed:.2f} times as fast as {name} (needed: {needed})")
    return holds


def main():
    arguments = options()
    missing = what_is_missing(arguments)
    if missing:
        print(f"not measured: {missing}")
        return timing.CANNOT
    if arguments.device == "cuda":
        import torch
        print(torch.cuda.get_device_name())
    return 0 if passes(measure_all(arguments)) else 1


if __name__ == "__main__":
    sys.exit(main())
