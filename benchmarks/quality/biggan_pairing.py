#!/usr/bin/env python3
"""Compares the asymmetric optimization policy of ParaGAN, AdaBelief for G and Adam for D, with Adam for both, on a small BigGAN.

    benchmarks/quality/biggan_pairing.py FOLDER [--steps 2000] [--seeds 1 2 3]

Trains the BigGAN of configs/runs/cifar10-biggan.yaml with fewer channels, one step of D a step of G; a step with NaN ends it. Score and
distance are those of a classifier that the study trains. Prints a table, and writes the report of each run, whose grids have a row for each
label.
"""
import sys

from study import ROOT, Study, options, print_table

CONFIG = ROOT / "configs/runs/cifar10-biggan.yaml"
# Title: name of the runs, settings.
POLICIES = {"Adam for both": ("symmetric", []), "AdaBelief for G, Adam for D": ("asymmetric", ["preset=paragan"])}


def settings(arguments, seed):
    kimg = arguments.steps * arguments.batch / 1000
    return [f"model.generator_channels={arguments.channels}", f"model.discriminator_channels={arguments.channels}",
            f"training.batch={arguments.batch}", f"training.total_kimg={kimg}", f"training.tick_kimg={kimg / 20}",
            f"training.samples_every_kimg={kimg / 4}", f"training.seed={seed}", "training.threads=1", "loss.critic_steps=1",
            "training.max_nonfinite_steps=0", "generator.ema_start_kimg=0",
            f"generator.ema_kimg={kimg / 50}", f"checkpoint.every_kimg={kimg / 4}"]


def main():
    parser = options(__doc__, ["cifar10"])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--channels", type=int, default=16, help="of the narrowest layer; configs/runs has 64")
    arguments = parser.parse_args()
    study = Study(arguments)
    rows = {policy: [] for policy in POLICIES}
    for seed in arguments.seeds:
        for policy, (name, preset) in POLICIES.items():
            run = f"{name}-seed{seed}"
            if study.result(run) is None:
                study.train(run, [*settings(arguments, seed), *preset], config=CONFIG)
                study.run(1, run, "report", study.folder / run)
            rows[policy].append(study.evaluate(run, run, ["is5k", "fid5k"]))
            print(f"{run}: {rows[policy][-1]}", flush=True)
    print_table(f"CIFAR-10, {arguments.steps} steps", rows, {"score": "is5k", "Fréchet distance": "fid5k"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
