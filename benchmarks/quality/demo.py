#!/usr/bin/env python3
"""Compares the demo with a plain DC-GAN (no R1, constant rates, batches of 32), in the same time on the same machine.

    benchmarks/quality/demo.py FOLDER [--dataset letters] [--seconds 480] [--seeds 1 2 3] [--kimg PLAIN DEMO]

First measures the rates of both in turn on two ranks, which needs an idle machine; then trains each for as many images as it gets in that
time. As the results do not depend on what else runs, `--kimg` may tell these numbers instead. Prints the Fréchet distances of 5,000 images
to all letters, or emoji, in the features of a classifier that the study trains. Exit code 1 if the demo's mean is not at least 25% lower
for emoji; there is no claim for letters.
"""
import statistics
import sys

from study import ROOT, Study, options, print_table

CONFIGS = {"letters": ROOT / "configs/runs/demo.yaml", "emoji": ROOT / "configs/runs/demo-emoji32.yaml"}
# Settings over the demo's configuration. A rate whose final fraction is 1 is constant.
VARIANTS = {"plain": ["model.batch_norm=local", "training.batch=32", "generator.ema_kimg=2", "discriminator.r1_gamma=0",
                      "generator.optimizer.learning_rate=0.0003", "generator.optimizer.schedule.final_fraction=1",
                      "discriminator.optimizer.learning_rate=0.0006", "discriminator.optimizer.schedule.final_fraction=1"],
            "demo": []}
GAIN_NEEDED = {"emoji": 0.25}  # none for letters, which R1 makes predictable rather than better
LEAST_LETTERS = 8000  # some 300 typefaces
THREADS = "training.threads=1"  # a rank's


def require_typefaces(study):
    images, _ = study.shape()
    if images < LEAST_LETTERS:
        sys.exit(f"only {images} letters of the installed fonts: run scripts/setup.sh demo, remove {study.folder}, and start again")


def holds(dataset, rows):
    """Prints by how much the second row's distance is lower, and returns whether that is enough."""
    before, after = (statistics.mean(result["fid5k"] for result in row) for row in rows)
    gain, needed = 1 - after / before, GAIN_NEEDED.get(dataset)
    claim = "no claim" if needed is None else f"needed: {needed:.0%}"
    print(f"The demo's distance is {abs(gain):.0%} {'lower' if gain >= 0 else 'higher'} ({claim})")
    return needed is None or gain >= needed


def main():
    parser = options(__doc__, list(CONFIGS))
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--ranks", type=int, default=2, help="of one thread each")
    parser.add_argument("--kimg", type=float, nargs=2, metavar=("PLAIN", "DEMO"), help="instead of measuring rates")
    arguments = parser.parse_args()
    study = Study(arguments)
    if arguments.dataset == "letters":
        require_typefaces(study)
    config = CONFIGS[arguments.dataset]
    kimg = (dict(zip(VARIANTS, arguments.kimg)) if arguments.kimg
            else study.kimg_in(arguments.seconds, {name: [*words, THREADS] for name, words in VARIANTS.items()},
                               arguments.ranks, config))
    rows = {f"{name}, {kimg[name]:g} kimg": [] for name in VARIANTS}
    for seed in arguments.seeds:
        for name, row in zip(VARIANTS, rows.values()):
            run = f"{name}-seed{seed}"
            if study.result(run) is None:
                study.train(run, [*VARIANTS[name], THREADS, f"training.total_kimg={kimg[name]}", f"training.seed={seed}"],
                            arguments.ranks, config)
            row.append(study.evaluate(run, run))
            print(f"{run}: {row[-1]['fid5k']:.3f}", flush=True)
    print_table(arguments.dataset, rows)
    return 0 if holds(arguments.dataset, rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
