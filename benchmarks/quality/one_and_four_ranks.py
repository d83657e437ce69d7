#!/usr/bin/env python3
"""Trains a small StyleGAN2 on emoji with one and with four ranks as Loppi & Kynkäänniemi 2021 did, and compares the curves of the
distance (their figure 3a: FFHQ with 4 and 16 GPUs).

    benchmarks/quality/one_and_four_ranks.py FOLDER [--kimg 60] [--every 5] [--seeds 1000 2000 3000]

Each rank has its own seed (`seed_mode: rank`), its own shard (`shard: fixed`), its own running means and groups of the minibatch standard
deviation; the batch of 16 is divided among the ranks. Prints both curves, means over the seeds, and writes FOLDER/curves.svg. The
curves overlap at an evaluation where the difference of the means is within its 95% interval (Welch). Exit code 1 where they do at less than
90% of the evaluations.
"""
import json
import math
import statistics
import sys

from study import ROOT, Study, options

RANKS = [1, 4]
CONFIG = ROOT / "configs/runs/emoji32-stylegan2-paper.yaml"
SHARE_NEEDED = 0.9
# Student's t, two-sided 95%, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}


def curve_of(study, ranks, seed, arguments):
    """Returns {kimg: distance}; trains the run, or what is left of it."""
    name = f"ranks{ranks}-seed{seed}"
    file = study.folder / name / "metrics.jsonl"
    lines = read_lines(file)
    if not lines or lines[-1]["kimg"] < arguments.kimg:
        threads = max(1, arguments.cores // ranks)
        study.train(name, [f"training.total_kimg={arguments.kimg}", f"training.seed={seed}", f"training.threads={threads}",
                           "evaluate.metrics=[fid5k]", f"evaluate.every_kimg={arguments.every}",
                           f"evaluate.feature_net={study.feature_net}"], ranks, CONFIG)
    return {line["kimg"]: line["fid5k"] for line in read_lines(file)}


def read_lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def half_width(one, other):
    """Returns that of the 95% interval of the difference of two means, by Welch."""
    variances = [statistics.variance(values) / len(values) for values in (one, other)]
    if sum(variances) == 0:
        return 0
    freedom = sum(variances) ** 2 / sum(v ** 2 / (len(values) - 1) for v, values in zip(variances, (one, other)))
    return STUDENT[max(1, min(10, int(freedom)))] * math.sqrt(sum(variances))


def compare(curves):
    """Prints both curves and returns the share of evaluations where they overlap. curves: {ranks: curves of the seeds}."""
    one, many = (curves[ranks] for ranks in RANKS)
    together = sorted(set.intersection(*(set(curve) for curve in one + many)))
    print(f"| kimg | {RANKS[0]} rank | {RANKS[1]} ranks | difference | its 95% interval |\n|---|---|---|---|---|")
    overlapping = 0
    for kimg in together:
        values = [[curve[kimg] for curve in some] for some in (one, many)]
        difference = statistics.mean(values[1]) - statistics.mean(values[0])
        width = half_width(*values)
        overlapping += abs(difference) <= width
        print(f"| {kimg:g} | {statistics.mean(values[0]):.3f} | {statistics.mean(values[1]):.3f} | {difference:+.3f} | ± {width:.3f} |")
    return overlapping / len(together)


def svg_of(curves):
    """Returns a drawing of all curves: thin lines, a color for each number of ranks."""
    points = [(kimg, value) for some in curves.values() for curve in some for kimg, value in curve.items()]
    most_kimg, most = max(kimg for kimg, _ in points), max(value for _, value in points)
    width, height, margin = 640, 360, 40
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{width - margin}" y="{height - 8}" text-anchor="end">{most_kimg:g} kimg</text>',
             f'<text x="8" y="{margin - 12}">Fréchet distance, up to {most:.3g}</text>']
    for color, (ranks, some) in zip(("#2864dc", "#d9650b"), curves.items()):
        lines.append(f'<text x="{width - margin}" y="{margin + 16 * RANKS.index(ranks)}" text-anchor="end" fill="{color}">'
                     f'{ranks} rank{"s" if ranks > 1 else ""}</text>')
        for curve in some:
            path = " ".join(f"{margin + (width - 2 * margin) * kimg / most_kimg:.1f},"
                            f"{height - margin - (height - 2 * margin) * value / most:.1f}" for kimg, value in curve.items())
            lines.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
    return "\n".join([*lines, "</svg>\n"])


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
            curves[ranks].append(curve_of(study, ranks, seed, arguments))
    (study.folder / "curves.svg").write_text(svg_of(curves))
    share = compare(curves)
    print(f"the curves overlap at {share:.0%} of the evaluations (needed: {SHARE_NEEDED:.0%}); {study.folder / 'curves.svg'}")
    return 0 if share >= SHARE_NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
