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
    """Returns half the width of the 95% interval of the difference of two means, by Welch."""
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


STYLE = """text{font:12px system-ui,sans-serif;fill:#1b1f27}.soft{fill:#667085}.end{text-anchor:end}.middle{text-anchor:middle}
.paper{fill:#fff}.grid{stroke:#e3e6ec}polyline{fill:none;stroke:currentColor;stroke-width:1.5}
.ranks0{color:#2864dc}.ranks1{color:#d9650b}
text.ranks0,text.ranks1{fill:currentColor;font-weight:600}
@media(prefers-color-scheme:dark){text{fill:#e8ebf1}.soft{fill:#98a2b3}.paper{fill:#181c25}.grid{stroke:#2a303c}
.ranks0{color:#7aa7ff}.ranks1{color:#ffa45c}}"""
WIDTH, HEIGHT, MARGIN = 640, 360, 48


def marks(most):
    """Returns four to ten round numbers from 0 to most."""
    power = 10 ** math.floor(math.log10(most))
    step = next(power * part for part in (0.1, 0.2, 0.5, 1, 2) if most / (power * part) <= 8)
    return [step * i for i in range(int(most / step) + 1)]


def axes_of(x, y, most_kimg, most):
    """Returns grid and numbers of both axes. x, y: from a value to its place."""
    lines = []
    for kimg in marks(most_kimg):
        lines += [f'<line x1="{x(kimg):.1f}" x2="{x(kimg):.1f}" y1="{MARGIN}" y2="{HEIGHT - MARGIN}" class="grid"/>',
                  f'<text x="{x(kimg):.1f}" y="{HEIGHT - MARGIN + 18}" class="middle soft">{kimg:g}</text>']
    for distance in marks(most):
        lines += [f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(distance):.1f}" y2="{y(distance):.1f}" class="grid"/>',
                  f'<text x="{MARGIN - 8}" y="{y(distance) + 4:.1f}" class="end soft">{distance:g}</text>']
    return [*lines, f'<text x="{WIDTH / 2:g}" y="{HEIGHT - 10}" class="middle soft">thousands of images seen</text>',
            f'<text x="{MARGIN}" y="{MARGIN - 14}" class="soft">Fréchet distance, each line a seed</text>']


def svg_of(curves):
    """Returns a drawing of all curves: thin lines, a color for each number of ranks."""
    points = [(kimg, value) for some in curves.values() for curve in some for kimg, value in curve.items()]
    most_kimg, most = max(kimg for kimg, _ in points), max(value for _, value in points)

    def x(kimg):
        return MARGIN + (WIDTH - 2 * MARGIN) * kimg / most_kimg

    def y(distance):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * distance / most

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><style>{STYLE}</style>',
             '<rect width="100%" height="100%" class="paper"/>', *axes_of(x, y, most_kimg, most)]
    for i, (ranks, some) in enumerate(curves.items()):
        name = f'{ranks} rank{"s" if ranks > 1 else ""}'
        lines.append(f'<text x="{WIDTH - MARGIN - 8}" y="{MARGIN + 16 * (i + 1)}" class="end ranks{i}">{name}</text>')
        for curve in some:
            path = " ".join(f"{x(kimg):.1f},{y(value):.1f}" for kimg, value in curve.items())
            lines.append(f'<polyline points="{path}" class="ranks{i}"/>')
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
