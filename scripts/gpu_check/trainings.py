"""The stage "train" of scripts/gpu-check.sh: runs of each family of models and each scheme, killed after a checkpoint and resumed.

    python3 scripts/gpu_check/trainings.py BUILD FIGURES [--steps N] [--only NAME,...]

FIGURES, a JSON file, has for each run {seconds, s_per_kimg, loss: of its last tick}. A run is wrong if it does not end with 0 after
it was resumed, does not resume, or has a loss that is not finite; then the end of its output is shown, and the script ends with 1. Ends
with 77 if there is no $GANSCALE_SHARED/fixtures/cifar32-stylegan2ada.zip, whose images (32x32, 3 labels) all of them learn.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

CANNOT = 77
BATCH = 12  # divisible by the ranks of two roles and by the groups of the minibatch standard deviation
AT_A_TIME = 4
SHOWN_LINES = 25
DATA = "fixtures/cifar32-stylegan2ada.zip"

SMALL = ["model.resolution=32", "data.labels=ignore"]
BIGGAN = ["model.preset=biggan", "model.resolution=32", "model.generator_channels=32", "model.discriminator_channels=32"]
ADA = ["augment.name=ada", "augment.p=0.2"]
RECORDABLE = ["augment.name=none", "augment.blur_sigma=0"]  # without what a CUDA graph cannot contain
GRAPHS = ["training.cuda_graphs=true", *RECORDABLE]
RUNS = {
    "dcgan": ["model.name=dcgan", *SMALL],
    "dcgan-graphs": ["model.name=dcgan", *SMALL, *GRAPHS],
    "wgan": ["model.name=wgan", *SMALL],
    "sngan": ["model.name=sngan", *SMALL],
    "stylegan2-ada": ["model.name=stylegan2", "model.preset=small", *SMALL, *ADA],
    "stylegan2-graphs": ["model.name=stylegan2", "model.preset=small", *SMALL, *GRAPHS],
    "biggan-bf16-layout": [*BIGGAN, "training.precision=bf16", "training.layout=auto"],
    "biggan-graphs": [*BIGGAN, "training.precision=bf16", *GRAPHS],
    "biggan-deep": [*BIGGAN, "model.name=biggan_deep"],
    "r3gan": ["model.preset=r3gan", "model.resolution=32", "model.channel_max=64", "data.labels=ignore"],
    "r3gan-graphs": ["model.preset=r3gan", "model.resolution=32", "model.channel_max=64", "data.labels=ignore", *GRAPHS],
    "stylegan3": ["model.preset=stylegan3-t", *SMALL],
    "stylegan3-graphs": ["model.preset=stylegan3-t", *SMALL, *GRAPHS],
    "per-label": ["model.name=dcgan", "model.resolution=32", "scheme.name=per_label"],
    "asynchronous": ["model.name=dcgan", *SMALL, "scheme.name=asynchronous"],
    "paragan": ["preset=paragan", *BIGGAN, "scheme.name=asynchronous", "training.precision=bf16", "training.layout=auto"],
}


@dataclass(frozen=True)
class Trial:
    program: pathlib.Path
    data: pathlib.Path
    steps: int

    def command(self, settings, folder):
        every = self.steps // 8 * BATCH / 1000
        words = [*settings, f"data.path={self.data}", f"training.batch={BATCH}", f"training.total_kimg={self.steps * BATCH / 1000}",
                 f"training.tick_kimg={every}", f"checkpoint.every_kimg={2 * every}", "training.samples_every_kimg=0"]
        return [self.program, "train", "--run", folder, *(f"--set={word}" for word in words)]


class Wrong(Exception):
    pass


def ticks(folder):
    """Returns the lines of all stats.jsonl below a folder: that of a run, or those of its labels."""
    lines = (line for path in sorted(folder.rglob("stats.jsonl")) for line in path.read_text().splitlines(keepends=True))
    return [json.loads(line) for line in lines if line.endswith("\n")]


def start(command, log):
    return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)


def kill_after_a_checkpoint(command, folder, log):
    """Starts a training and kills it. Throws: Wrong, if it ends before."""
    with start(command, log) as training:
        manifest = "checkpoints/kimg-*/manifest.json"
        while not [*folder.glob(manifest), *folder.glob(f"labels/*/{manifest}")]:  # a checkpoint may go meanwhile
            if training.poll() is not None:
                raise Wrong(f"ended with {training.returncode} before it was killed")
            time.sleep(0.02)
        training.send_signal(signal.SIGKILL)


def not_finite(value):
    """Returns whether a number, or one in an object of numbers, is not finite; JSON has null for one."""
    if isinstance(value, dict):
        return any(not_finite(one) for one in value.values())
    return value is None or not math.isfinite(value)


def train(trial, settings, folder, log):
    """Returns the figures of a run. Throws: Wrong."""
    command = trial.command(settings, folder)
    began = time.monotonic()
    kill_after_a_checkpoint(command, folder, log)
    before = log.tell()
    with start(command, log) as training:
        code = training.wait()
    if code != 0:
        raise Wrong(f"ended with {code} after it was resumed")
    log.seek(before)
    if b"Resuming" not in log.read():
        raise Wrong("did not resume from its checkpoint")
    told = ticks(folder)
    if any(not_finite(tick["loss"]) for tick in told):
        raise Wrong("has a loss that is not finite")
    return {"seconds": round(time.monotonic() - began, 1), "s_per_kimg": told[-1]["s_per_kimg"], "loss": told[-1]["loss"]}


def try_run(trial, name, folder):
    """Returns the figures of a run, and what is to be told of it."""
    with open(folder / f"{name}.log", "w+b") as log:
        try:
            figures = train(trial, RUNS[name], folder / name, log)
            return figures, f"{name:22} {figures['seconds']:6.1f} s  {figures['s_per_kimg']:8.2f} s/kimg"
        except Wrong as wrong:
            log.seek(0)
            end = log.read().decode(errors="replace").splitlines()[-SHOWN_LINES:]
            return None, "\n".join([f"{name:22} {wrong}", *(f"    {line}" for line in end)])


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(RUNS), metavar="NAME,...")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = options(arguments)
    data = pathlib.Path(os.environ["GANSCALE_SHARED"]) / DATA
    chosen.figures.unlink(missing_ok=True)
    if not data.exists():
        print(f"not trained: no images in {data}")
        return CANNOT
    trial = Trial(chosen.build / "bin/ganscale", data, chosen.steps)
    done, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        running = {pool.submit(try_run, trial, name, pathlib.Path(folder)): name for name in chosen.only}
        for one in concurrent.futures.as_completed(running):
            figures, told = one.result()
            print(told, flush=True)
            done[running[one]] = figures
            chosen.figures.write_text(json.dumps(done, indent=1) + "\n")
            wrong += [] if figures else [running[one]]
    if wrong:
        print(f"\nwrong: {', '.join(sorted(wrong))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
