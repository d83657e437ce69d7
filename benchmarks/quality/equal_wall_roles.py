#!/usr/bin/env python3
"""Compares schemes `synchronous` and `asynchronous` on two ranks in the same wall time (ParaGAN): both ranks train both networks on half of
the batch each, or one rank trains the generator and the other the discriminator.

    benchmarks/quality/equal_wall_roles.py FOLDER [--wall 120] [--seeds 1 2 3] [--staleness 2]

Trains the conditional DC-GAN of configs/runs/mnist-dcgan.yaml. Score and distance are those of a classifier that the study trains. Needs an
idle machine with two cores.
"""
import json
import sys

from study import ROOT, Study, options, print_table

CONFIG = ROOT / "configs/runs/mnist-dcgan.yaml"
ENDLESS_KIMG = 1_000_000
COLUMNS = {"score": "is5k", "Fréchet distance": "fid5k", "kimg": "kimg"}


def settings(seed, wall):
    return ["model.name=conditional_dcgan", "data.labels=required", f"training.total_kimg={ENDLESS_KIMG}", f"training.seed={seed}",
            "training.threads=1", "training.tick_kimg=1", "generator.ema_kimg=1", f"budget.wall={wall}s"]


def kimg_of(study, run):
    """Returns the thousands of images that the generator has made and the discriminator has seen."""
    last = json.loads((study.folder / run / "stats.jsonl").read_text().splitlines()[-1])
    return last["kimg"]


def main():
    parser = options(__doc__, ["mnist"])
    parser.add_argument("--wall", type=int, default=120, help="seconds of each training")
    parser.add_argument("--staleness", type=int, default=2, help="the bound of `asynchronous`")
    arguments = parser.parse_args()
    study = Study(arguments)
    schemes = {"synchronous": ["scheme.name=synchronous"],
               "asynchronous": ["scheme.name=asynchronous", f"scheme.max_staleness={arguments.staleness}"]}
    rows = {name: [] for name in schemes}
    for seed in arguments.seeds:
        for name, scheme in schemes.items():
            run = f"{name}-seed{seed}"
            if study.result(run) is None:
                study.train(run, [*settings(seed, arguments.wall), *scheme], ranks=2, config=CONFIG)
            result = study.evaluate(run, run, ["is5k", "fid5k"])
            rows[name].append({**result, "kimg": kimg_of(study, run)})
            print(f"{run}: {rows[name][-1]}", flush=True)
    print_table(f"MNIST, {arguments.wall} s on two ranks", rows, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
