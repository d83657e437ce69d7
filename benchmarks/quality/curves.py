"""Trains a small StyleGAN2 as Loppi & Kynkäänniemi 2021 did on some number of ranks, and follows and draws its distance.

A curve is {thousands of images seen: distance}.
"""
import json
import math
import shutil

from study import ROOT

CONFIG = ROOT / "configs/runs/emoji32-stylegan2-paper.yaml"


def read_lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def kept_metrics(study, name):
    """Returns the file of what a complete run has measured."""
    return study.results / f"{name}.jsonl"


def metrics_of(study, name):
    """Returns what a run has measured so far, an evaluation a line."""
    kept = kept_metrics(study, name)
    return read_lines(kept if kept.exists() else study.folder / name / "metrics.jsonl")


def is_complete(study, name, kimg):
    lines = metrics_of(study, name)
    return bool(lines) and lines[-1]["kimg"] >= kimg


def curve(study, name):
    """Returns the curve of a run as far as it has been measured."""
    return {line["kimg"]: line["fid5k"] for line in metrics_of(study, name)}


def newest_checkpoint(study, name):
    """Returns the thousands of images that the newest checkpoint of a run has seen; 0 without one."""
    folders = (study.folder / name / "checkpoints").glob("kimg-*")
    return max((float(folder.name.removeprefix("kimg-")) for folder in folders), default=0)


def measure_what_was_missed(study, name, every):
    """Evaluates the newest checkpoint of a run that was interrupted before its evaluation. Only older programs need this: now, the resumed
    run does it."""
    newest, measured = newest_checkpoint(study, name), curve(study, name)
    if newest > 0 and newest % every == 0 and newest not in measured:
        study.run(1, name, "evaluate", "--run", study.folder / name, "--metrics", "fid5k", "--feature-net", study.feature_net)


def trained_curve(study, name, ranks, settings, arguments):
    """Returns the whole curve of a run; trains it, or what is left of it. arguments: its `kimg`, and those between evaluations, `every`."""
    if not is_complete(study, name, arguments.kimg):
        measure_what_was_missed(study, name, arguments.every)
        study.train(name, [f"training.total_kimg={arguments.kimg}", "evaluate.metrics=[fid5k]",
                           f"evaluate.every_kimg={arguments.every}", f"evaluate.feature_net={study.feature_net}", *settings],
                    ranks, CONFIG)
        shutil.copyfile(study.folder / name / "metrics.jsonl", kept_metrics(study, name))
    return curve(study, name)


STYLE = """text{font:12px system-ui,sans-serif;fill:#1b1f27}.soft{fill:#667085}.end{text-anchor:end}.middle{text-anchor:middle}
.paper{fill:#fff}.grid{stroke:#e3e6ec}polyline{fill:none;stroke:currentColor;stroke-width:1.5}
.arm0{color:#2864dc}.arm1{color:#d9650b}.arm2{color:#777e8c}
text.arm0,text.arm1,text.arm2{fill:currentColor;font-weight:600}
@media(prefers-color-scheme:dark){text{fill:#e8ebf1}.soft{fill:#98a2b3}.paper{fill:#181c25}.grid{stroke:#2a303c}
.arm0{color:#7aa7ff}.arm1{color:#ffa45c}.arm2{color:#a9b0bd}}"""
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


def without_divergence(curves):
    """Returns the curves without the infinite distances at which runs diverged."""
    return {title: [{kimg: value for kimg, value in curve.items() if value < math.inf} for curve in some]
            for title, some in curves.items()}


def svg_of(curves):
    """Returns a drawing of all curves: thin lines, a color for each of at most three titles. curves: {title: curves of the seeds}."""
    curves = without_divergence(curves)
    points = [(kimg, value) for some in curves.values() for curve in some for kimg, value in curve.items()]
    most_kimg, most = (max((point[i] for point in points), default=1) for i in (0, 1))  # none if all diverged at once

    def x(kimg):
        return MARGIN + (WIDTH - 2 * MARGIN) * kimg / most_kimg

    def y(distance):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * distance / most

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><style>{STYLE}</style>',
             '<rect width="100%" height="100%" class="paper"/>', *axes_of(x, y, most_kimg, most)]
    for i, (title, some) in enumerate(curves.items()):
        lines.append(f'<text x="{WIDTH - MARGIN - 8}" y="{MARGIN + 16 * (i + 1)}" class="end arm{i}">{title}</text>')
        for curve in some:
            path = " ".join(f"{x(kimg):.1f},{y(value):.1f}" for kimg, value in curve.items())
            lines.append(f'<polyline points="{path}" class="arm{i}"/>')
    return "\n".join([*lines, "</svg>\n"])
