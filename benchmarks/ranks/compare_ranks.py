#!/usr/bin/env python3
"""Times two ranks against one, with one thread per rank: trainings of ten labels, and an evaluation.

    benchmarks/ranks/compare_ranks.py [--mnist FOLDER] [--feature-net FILE] [--rounds 3] [--kimg 4] [--images 50k]

Claims: scheme per_label needs at most 0.55 of the time of one rank, start and end included; an
evaluation has a parallel efficiency of at least 90%, the real images' part in a cache, and its
largest process has at most 20% more memory than with 1,000 images. Exit code 1 where one does not hold.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUIET = ["telemetry.metrics_port=-1", "telemetry.control_port=-1", "training.samples_every_kimg=0",
         "training.tick_kimg=1", "checkpoint.every_kimg=0", "training.threads=1"]


class Runner:
    def __init__(self, arguments, folder):
        self.program = arguments.build / "bin/ganscale"
        self.mnist = arguments.mnist
        self.feature_net = arguments.feature_net or folder / "digits.pt"
        self.folder = folder

    def run(self, ranks, verb, *options):
        """Returns the elapsed seconds and the peak resident memory of a process in MiB."""
        launcher = ["mpirun", "--bind-to", "none", "-n", str(ranks)]
        if os.getuid() == 0:
            launcher.insert(1, "--allow-run-as-root")
        with open(self.folder / "output.txt", "w") as output:
            start = time.monotonic()
            done = subprocess.Popen([*launcher, self.program, verb, *options], stdout=output, stderr=output)
            _, status, used = os.wait4(done.pid, 0)  # used: by mpirun and the ranks that it waited for
            seconds = time.monotonic() - start
        if status != 0:
            sys.exit((self.folder / "output.txt").read_text())
        return seconds, used.ru_maxrss / 1024

    def train_labels(self, ranks, kimg):
        run = self.folder / "labels"
        shutil.rmtree(run, ignore_errors=True)
        settings = [*QUIET, f"data.path={self.mnist}", "data.labels=auto", "scheme.name=per_label",
                    f"training.total_kimg={kimg}"]
        return self.run(ranks, "train", "--config", ROOT / "configs/runs/mnist-dcgan.yaml", "--run", run,
                        *[word for setting in settings for word in ("--set", setting)])

    def evaluate(self, ranks, images):
        return self.run(ranks, "evaluate", "--run", self.folder / "labels", "--metrics", f"fid{images}",
                        "--feature-net", self.feature_net, "--set", "training.threads=1",
                        "--set", f"evaluate.cache={self.folder / 'cache'}")


def compare(name, rounds, measure):
    """Returns the median ratio of two ranks' time to one rank's, and the peak memory of a process."""
    shares, memory = [], 0
    for number in range(rounds):
        (one, memory_of_one), (two, memory_of_two) = measure(1), measure(2)
        memory = max(memory, memory_of_one, memory_of_two)
        shares.append(two / one)
        print(f"round {number + 1}  {name:10} 1 rank {one:7.2f} s  2 ranks {two:7.2f} s  {shares[-1]:.3f}",
              flush=True)
    return statistics.median(shares), memory


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("GANSCALE_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--mnist", type=Path, default=shared / "data/mnist", help="folder of the IDX files")
    parser.add_argument("--feature-net", type=Path, help="TorchScript module; else a classifier is trained")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kimg", type=float, default=4, help="of all labels together")
    parser.add_argument("--images", default="50k", help="generated for the evaluation")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments, Path(folder))
        labels, _ = compare("labels", arguments.rounds, lambda ranks: runner.train_labels(ranks, arguments.kimg))
        if not arguments.feature_net:
            subprocess.run([arguments.build / "bin/feature_net", "--data", arguments.mnist,
                            "--out", runner.feature_net, "--epochs", "1"], check=True)
        runner.evaluate(2, "1k")  # caches the features of the real images
        _, few = runner.evaluate(1, "1k")
        share, many = compare("evaluation", arguments.rounds,
                              lambda ranks: runner.evaluate(ranks, arguments.images))
    efficiency = 1 / (2 * share)
    print(f"labels: two ranks take {labels:.3f} of one rank's time (needed: at most 0.55)")
    print(f"evaluation: parallel efficiency {efficiency:.0%} (needed: 90%)")
    print(f"largest process: {few:.0f} MiB for 1k images, {many:.0f} MiB for "
          f"{arguments.images} (needed: less than 20% more)")
    return 0 if labels <= 0.55 and efficiency >= 0.9 and many < 1.2 * few else 1


if __name__ == "__main__":
    sys.exit(main())
