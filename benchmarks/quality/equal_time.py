#!/usr/bin/env python3
"""Compares a W-GAN per label with one conditional W-GAN in equal time (Lupo Pasini & Yin, "Stable parallel W-CGAN").

    benchmarks/quality/equal_time.py FOLDER [--dataset mnist|cifar10] [--wall 600] [--seeds 1 2 3]

Each label has a rank for `budget.wall` seconds. The ranks are simulated one after the other on this machine, and the slowest counts. The
conditional model trains for the same time on one rank, and for as many times that as there are labels, which is what all those ranks would
give it if they scaled ideally. Prints a table; recall and coverage show mode collapse. Score and distance are those of a classifier that
the study trains.
"""
import json
import sys

from study import Study, options, print_table

ENDLESS_KIMG = 1_000_000


def settings(model, seed, wall):
    return [f"model.name={model}", "model.resolution=32", "loss.name=wasserstein", "training.batch=64", f"training.seed={seed}",
            f"training.total_kimg={ENDLESS_KIMG}", f"budget.wall={wall}s", "generator.ema_kimg=0.5", "training.tick_kimg=10",
            "checkpoint.every_kimg=100"]


def train_labels(study, name, arguments, seed, labels):
    """Trains each label for the whole budget, then gathers them. Returns the slowest and the mean seconds of a label."""
    for label in range(labels):
        study.train(name, [*settings(arguments.model, seed, arguments.wall), "scheme.name=per_label",
                           f"scheme.labels=[{label}]"])
    # Nothing is left to train: every label has spent more.
    study.train(name, [*settings(arguments.model, seed, 1), "scheme.name=per_label"])
    table = json.loads((study.folder / name / "labels.json").read_text())
    seconds = [label["spent_seconds"] for label in table]
    return max(seconds), sum(seconds) / len(seconds)


def main():
    parser = options(__doc__, ["mnist", "cifar10"])
    parser.add_argument("--wall", type=int, default=600, help="seconds a rank")
    parser.add_argument("--model", default="wgan", choices=["wgan", "wgan_resnet"])
    arguments = parser.parse_args()
    study = Study(arguments)
    _, labels = study.shape()
    rows = {f"one model per label, {labels} ranks": [], "conditional, one rank": [],
            f"conditional, {labels} ranks that scale ideally": []}
    per_label, one_rank, all_ranks = rows
    for seed in arguments.seeds:
        name = f"per-label-seed{seed}"
        if study.result(name) is None:
            slowest, mean = train_labels(study, name, arguments, seed, labels)
            print(f"seed {seed}: slowest label {slowest:.0f} s, mean {mean:.0f} s", flush=True)
        rows[per_label].append(study.evaluate(name, name))
        name = f"conditional-seed{seed}"
        for row, wall in ((one_rank, arguments.wall), (all_ranks, labels * arguments.wall)):
            result = f"{name}-{wall}"
            if study.result(result) is None:
                study.train(name, settings(f"conditional_{arguments.model}", seed, wall))
            rows[row].append(study.evaluate(name, result))
    print_table(f"{arguments.dataset}, {arguments.wall} s a rank, 5k generated images", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
