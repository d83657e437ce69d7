"""Shared by compare_on_gpu.py and profile_on_gpu.py: the contenders, their options, and how one is run."""
import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "timing"))
import timing  # noqa: E402

FEW, MANY = 2, 16
PUBLIC = "public"


@dataclass(frozen=True)
class Contender:
    side: str        # ours or peers
    options: list    # of its program
    batches: tuple   # images per step that it is measured with, unless others are asked for; the most telling first


CONTENDERS = {"ganscale-graphs": Contender("ours", ["--graphs"], (MANY, FEW, 1, 4, 8, 32, 64)),
              "ganscale": Contender("ours", [], (MANY, FEW)),
              "pytorch": Contender("peers", [], (MANY, FEW)),
              "pytorch-compile": Contender("peers", ["--compile"], (MANY, FEW)),
              PUBLIC: Contender("peers", [], (MANY, FEW))}


def listed(kind):
    """Returns a type of argparse: values of a kind, separated by commas."""
    def values(text):
        return [kind(value) for value in text.split(",")]
    values.__name__ = f"list of {kind.__name__}"  # for argparse's message
    return values


def one_of(names):
    def name(text):
        if text not in names:
            raise argparse.ArgumentTypeError(f"unknown: {text} (there are: {', '.join(names)})")
        return text
    return name


def checkout(text):
    """A type of argparse: the folder of the public implementation."""
    folder = Path(text).resolve()
    if not (folder / "training/networks.py").exists():
        raise argparse.ArgumentTypeError(f"no checkout of stylegan2-ada-pytorch: {text}")
    return folder


def add_choices(parser):
    """Adds what scripts/gpu-check.sh has, too."""
    parser.add_argument("--batches", type=listed(int), metavar="N,...", help="images per step, for every contender")
    parser.add_argument("--contenders", type=listed(one_of(CONTENDERS)), metavar="NAME,...", default=list(CONTENDERS),
                        help=f"of {', '.join(CONTENDERS)}")
    parser.add_argument("--precisions", type=listed(one_of(["fp32", "tf32", "bf16"])), metavar="NAME,...",
                        default=["tf32"], help="fp32, tf32, bf16; default: tf32")
    parser.add_argument("--public", type=checkout, metavar="FOLDER",
                        help=f"a checkout of NVlabs/stylegan2-ada-pytorch: {PUBLIC}, which is left out without it")


def parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_choices(parser)
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/gpu-check")
    parser.add_argument("--preset", default="config-f")
    parser.add_argument("--resolution", type=int, default=256)
    parser.add_argument("--modulate", default="features", choices=["weights", "features"],
                        help="how PyTorch modulates: features, as the public implementation in training, or weights, as in the "
                             "paper")
    parser.add_argument("--most-seconds", type=float, default=300, metavar="N",
                        help="of one measurement, with its start; then it is ended and left out")
    parser.add_argument("--device", default="cuda", help="cpu: the same on the CPU, to see that everything runs")
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--warm-up", type=int, default=5,
                        help="steps before, with all phases: the fourth captures the CUDA graphs")
    parser.add_argument("--threads", type=int, default=min(4, len(os.sched_getaffinity(0))))
    return parser


def contenders_of(arguments, side=None):
    """Returns the chosen contenders of a side that can be measured: all but the public one without its folder."""
    return [name for name in arguments.contenders
            if side in (None, CONTENDERS[name].side) and (name != PUBLIC or arguments.public)]


def what_is_missing(arguments):
    """Returns the reason why nothing can be measured here, or nothing."""
    if not arguments.contenders:
        return f"none of the contenders is of this side ({PUBLIC} needs --public)"
    try:
        import torch
    except ImportError:
        return "this Python has no torch"
    if arguments.device == "cuda" and not torch.cuda.is_available():
        return "PyTorch sees no CUDA device"
    program = arguments.build / "bin/stylegan2_benchmark"
    if any(CONTENDERS[name].side == "ours" for name in arguments.contenders) and not os.access(program, os.X_OK):
        return f"no {program}: scripts/gpu-check.sh --only build makes it"
    return ""


def device_name(arguments):
    import torch
    return torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU"


def command_of(arguments, contender):
    chosen = CONTENDERS[contender]
    if chosen.side == "ours":
        command = [timing.program_of(arguments, "stylegan2_benchmark")]
    elif contender == PUBLIC:
        command = [sys.executable, str(HERE / "stylegan2_public.py"), "--public", str(arguments.public)]
    else:
        command = [sys.executable, str(HERE / "stylegan2_pytorch.py"), "--modulate", arguments.modulate]
    return command + chosen.options


def run(arguments, contender, precision, batch, **options):
    """Runs a contender's program; returns what it prints. Throws: subprocess.SubprocessError: it failed or took too long."""
    return timing.measure(command_of(arguments, contender), arguments.threads, arguments.most_seconds, batch=batch, steps=arguments.steps,
                          warm_up=arguments.warm_up, device=arguments.device, preset=arguments.preset,
                          resolution=arguments.resolution, precision=precision, **options)


def reason_of(error):
    """Returns why run() threw."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"ended after {error.timeout:.0f} s"
    return f"failed with exit code {error.returncode}"


class Rows:
    """Measurements in a JSON file, which later ones of the same thing replace; without a file they are only kept."""

    KEY = ("contender", "device", "preset", "resolution", "precision", "batch")

    def __init__(self, path):
        self.path = path
        self.rows = json.loads(path.read_text()) if path and path.exists() else []

    def add(self, row):
        def key(one):
            return [one[name] for name in self.KEY]
        self.rows = [other for other in self.rows if key(other) != key(row)] + [row]
        if self.path:  # at once: who measures may be stopped at any time
            self.path.write_text(json.dumps(self.rows, indent=1) + "\n")
