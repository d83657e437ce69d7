#!/usr/bin/env python3
"""Compares a DC-GAN, a conditional one and a DC-GAN per label after equal epochs (Lupo Pasini et al., "Distributed DC-CGAN").

    benchmarks/quality/equal_epochs.py FOLDER [--dataset mnist|cifar10] [--epochs 10] [--every 2] [--seeds 1 2 3]

The paper's setting, as far as docs/papers.md knows it: batches of 64, Adam at 2e-4 with betas (0.5, 0.999) for both networks, no
moving average of the generator; each pair of a label sees its label's images alone. The paper trains for 1,000 epochs. Prints the curves
of each method, then a table; score and distance are those of a classifier that the study trains.
"""
import sys

from study import COLUMNS, Study, options, print_table

ADAM = "{name: adam, learning_rate: 2e-4, betas: [0.5, 0.999]}"
SETTINGS = ["model.resolution=32", "training.batch=64", f"generator.optimizer={ADAM}", f"discriminator.optimizer={ADAM}",
            "generator.ema_kimg=0", "training.tick_kimg=10", "checkpoint.every_kimg=0"]
METHODS = {"DC-GAN": ["model.name=dcgan"],
           "DC-CGAN (conditional)": ["model.name=conditional_dcgan"],
           "DC-CGAN, one pair per label": ["model.name=dcgan", "scheme.name=per_label"]}


def name_of(method, seed):
    return f"method{list(METHODS).index(method)}-seed{seed}"


def train_to(study, method, seed, epochs, records):
    """Returns the numbers of a method after so many epochs."""
    name = name_of(method, seed)
    result = f"{name}-{epochs}"
    if study.result(result) is None:
        study.train(name, [*SETTINGS, *METHODS[method], f"training.seed={seed}",
                           f"training.total_kimg={epochs * records / 1000}"])
    return study.evaluate(name, result)


def print_curves(curves, epochs):
    """curves: {method: {epochs: results of the seeds}}."""
    for title, key in COLUMNS.items():
        print(f"\n| {title}, epochs | {' | '.join(map(str, epochs))} |")
        print("|" + "---|" * (1 + len(epochs)))
        for method, results in curves.items():
            means = [sum(one[key] for one in results[epoch]) / len(results[epoch]) for epoch in epochs]
            print(f"| {method} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


def main():
    parser = options(__doc__, ["mnist", "cifar10"])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--every", type=int, default=2, help="epochs between evaluations")
    arguments = parser.parse_args()
    study = Study(arguments)
    records, _ = study.shape()
    epochs = list(range(arguments.every, arguments.epochs + 1, arguments.every))
    curves = {method: {epoch: [] for epoch in epochs} for method in METHODS}
    for seed in arguments.seeds:
        for epoch in epochs:
            for method in METHODS:
                curves[method][epoch].append(train_to(study, method, seed, epoch, records))
    print_curves(curves, epochs)
    print()
    print_table(f"{arguments.dataset}, {epochs[-1]} epochs, 5k generated images",
                {method: results[epochs[-1]] for method, results in curves.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
