#!/usr/bin/env python3
"""Trains a small StyleGAN2 on emoji with one and with four ranks as Loppi & Kynkäänniemi 2021 did, and compares the curves of the
distance (their figure 3a: FFHQ with 4 and 16 GPUs).

    benchmarks/quality/one_and_four_ranks.py FOLDER [--kimg 60] [--every 5] [--seeds 1000 2000 3000]

Each rank has its own seed (`seed_mode: rank`), its own shard (`shard: fixed`), its own running means and groups of the minibatch standard
deviation; the batch of 16 is divided among the ranks. Prints both curves, means over the seeds, and writes FOLDER/curves.svg. Exit code 1
where Welch's 95% interval of the difference of the means contains zero at less than 90% of the evaluations. That it contains zero does not
show that the curves are equal: it does so the more easily, the wider it is.
"""
import statistics
import sys

from curves import svg_of, trained_curve
from study import Study, options
from welch import student_quantile, welch

RANKS = [1, 4]
SHARE_NEEDED = 0.9


def half_width(one, other):
    """Returns half the width of the 95% interval of the difference of two means, by Welch, with whole degrees of freedom."""
    _, error, freedom = welch(one, other)
    return student_quantile(0.975, max(1, min(10, int(freedom)))) * error


def compare(curves):
    """Prints both curves and returns the share of evaluations whose interval contains zero. curves: {ranks: curves of the seeds}."""
    one, many = (curves[ranks] for ranks in RANKS)
    together = sorted(set.intersection(*(set(curve) for curve in one + many)))
    print(f"| kimg | {RANKS[0]} rank | {RANKS[1]} ranks | difference | its 95% interval |\n|---|---|---|---|---|")
    with_zero = 0
    for kimg in together:
        values = [[curve[kimg] for curve in some] for some in (one, many)]
        difference = statistics.mean(values[1]) - statistics.mean(values[0])
        width = half_width(*values)
        with_zero += abs(difference) <= width
        print(f"| {kimg:g} | {statistics.mean(values[0]):.3f} | {statistics.mean(values[1]):.3f} | {difference:+.3f} | ± {width:.3f} |")
    return with_zero / len(together)


def main():
    parser = options(__doc__, ["emoji"])
    parser.set_defaults(seeds=[1000, 2000, 3000])
    parser.add_argument("--kimg", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="kimg between evaluations")
    parser.add_argument("--cores", type=int, default=2, help="threads of all ranks together")
    arguments = parser.parse_args()
    if len(arguments.seeds) < 2:
        parser.error("an interval needs two seeds at least")
    study = Study(arguments)
    curves = {ranks: [] for ranks in RANKS}
    for seed in arguments.seeds:
        for ranks in RANKS:
            threads = max(1, arguments.cores // ranks)
            curves[ranks].append(trained_curve(study, f"ranks{ranks}-seed{seed}", ranks,
                                               [f"training.seed={seed}", f"training.threads={threads}"], arguments))
    (study.folder / "curves.svg").write_text(svg_of({"1 rank": curves[1], "4 ranks": curves[4]}))
    share = compare(curves)
    print(f"zero is in the interval at {share:.0%} of the evaluations (needed: {SHARE_NEEDED:.0%}); {study.folder / 'curves.svg'}")
    return 0 if share >= SHARE_NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
