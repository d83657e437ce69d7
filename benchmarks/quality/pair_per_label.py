#!/usr/bin/env python3
"""Decides whether one DC-GAN per label is better than a conditional one, and that than a plain one (claim D: Lupo Pasini et al.,
"Distributed DC-CGAN"), and whether one W-GAN per label has less mode collapse than one DC-GAN per label (claim W: Lupo Pasini & Yin,
"Stable parallel W-CGAN").

    benchmarks/quality/pair_per_label.py FOLDER [--minutes 60]     # until it ends with a verdict

Data. Four classes of CIFAR-10 with 20,000 images: of all choices of four, the one with the largest eta^2, as `ganscale data variability`
computes it (of several channels, the largest counts). Separate networks should help most where classes differ most. --from names
another folder with train.tar and test.tar.

Classifier. Scores and distances are measured in the features of a classifier of the four classes. It trains on the 20,000 images, mirrored
and shifted at random, and must get at least 80% of their 4,000 test images right; otherwise the study ends here.

Arms. The authors' settings in configs/runs/dcgan (Adam at 1e-4 with betas 0.5 and 0.999 for both networks, dropout of whole channels,
least squares and a label embedding as long as there are classes for labels in G only), but at 32 x 32 pixels, with a quarter of the width,
batches of 32, and a moving average of G. Its half-life is some 156 steps of G in all arms: 5 kimg, and 25 kimg with the five critic steps
of the W-GAN. Every arm but the W-GAN trains for the same number of epochs, a pair of a label only on its label's images:

    DC-GAN                          without labels
    conditional, labels in G only   the authors' code in effect
    conditional, projection         labels in both networks
    conditional, double width       labels in G only; a control, as four pairs have four times the parameters
    one pair per label
    one W-GAN per label             DC-GAN's networks, batch norms of the critic frozen, with the loss, the five critic steps and the
                                    betas (0, 0.9) of configs/runs/wcgan, for as many seconds a label as the pairs with the same seed have
                                    taken. By `ganscale bench --count`, its residual networks
                                    (--wasserstein-model wgan_resnet) take ten times as long per image: some 200 steps of G

Length. 40 epochs, fewer if all trainings and evaluations would take more than --hours. A pilot of a few minutes measures that before the
first training, two trainings at a time as in the study, and keeps the epochs in pilot.json.

Numbers. The value of a run is the mean of its last three evaluations, after 80%, 90% and all of its epochs (or seconds), each on 4,000
generated images. The score is the inception score with the classifier's probabilities, in ten splits of 400, and is at most 4. The distance
and the recall within a label are those of fid4k_by_label and pr4k3_by_label, on about 1,000 generated and 5,000 real images a label.

Criteria, older than the results, at a level of 5%, three seeds:

    D holds             if one-sided Welch tests find a higher score of one pair per label than of the conditional DC-GAN with labels in G
                        only, and a higher score of that than of the DC-GAN, both after Holm's correction.
    D is not decided    if both arms of a test are at the ceiling, whatever it finds: their means are at least 95% of the score of real
                        images, the 4,000 test images in ten splits of 400. Such arms are not ranked.
    W holds             if one-sided Wilcoxon signed-rank tests of the differences between a W-GAN and the DC-GAN of the same label and
                        seed, 12 pairs, find that distances within a label are lower and that recall is higher. Both tests must, so there
                        is no correction. It is a statement about these four classes. Scores are not compared.
    Otherwise           D, or W, does not hold.

The projection and the double width do not decide; their tests against one pair per label are printed without correction, to show whether
parameters or labels in D explain a difference. Precision and the plain distance are printed, too.

Runs have one thread each, and two train at the same time. The times of the pairs and of the W-GANs count, so nothing else must run. An
interrupted study resumes. With --minutes, no training to the next evaluation starts after that time. Exit code 0 whatever the verdict, and
if there is none yet. With other settings than planned, which need a folder of their own (plan.json), the verdict is that of a trial.
FOLDER/ARM.png has images of each arm with the first seed, in eight rows, with a column for each label if the arm has labels.
"""
import functools
import json
import statistics
import sys
import time
from typing import NamedTuple

from four_classes import CLASSES, FourClasses
from significance import holm, p_of_higher, p_of_positive
from study import ROOT, add_minutes, deadline_of, is_trial, options, print_table, run_jobs

ALPHA = 0.05
CEILING = 0.95  # of the score of real images
SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 1)  # of a training, after which it is evaluated
LAST = SHARES[-3:]  # whose mean is a run's value
METRICS = ["is4k", "fid4k"]
METRICS_WITHIN_LABELS = ["fid4k_by_label", "pr4k3_by_label"]
COLUMNS = {"score": "is4k", "Fréchet distance": "fid4k"}
COLUMNS_WITHIN_LABELS = {"distance within a label": "fid4k_by_label", "recall": "pr4k3_by_label_recall",
                         "precision": "pr4k3_by_label_precision"}
DISTANCES, RECALLS = "fid4k_labels", "pr4k3_recall_labels"  # of each label
ENDLESS_KIMG = 1_000_000
PILOT_KIMG = 40
START_SECONDS = 5  # of a training and an evaluation, at most
PLANNED = {"epochs": 40, "seeds": [1, 2, 3], "set": [], "classes": None, "wasserstein_model": "wgan"}

SETTINGS = ["model.resolution=32", "model.channels=0.25", "training.batch=32", "training.threads=1", "training.tick_kimg=10",
            "training.devices_per_process=1", "generator.ema_kimg=5", "data.mirror=false",
            "checkpoint.every_kimg=0", "checkpoint.keep_last=1"]
LABEL_DIM = f"model.label_dim={CLASSES}"


class Arm(NamedTuple):
    title: str
    config: str  # in configs/runs
    settings: list  # over it and SETTINGS
    has_labels: bool = True


ARMS = {
    "dcgan": Arm("DC-GAN", "dcgan/cifar10", [], has_labels=False),
    "conditional": Arm("conditional, labels in G only", "dcgan/cifar10-conditional", [LABEL_DIM]),
    "projection": Arm("conditional, projection", "dcgan/cifar10-conditional",
                      [LABEL_DIM, "model.label_networks=both", "loss.name=non_saturating"]),
    "wide": Arm("conditional, double width", "dcgan/cifar10-conditional", [LABEL_DIM, "model.channels=0.5"]),
    "pairs": Arm("one pair per label", "dcgan/cifar10-per-label", []),
    "wasserstein": Arm("one W-GAN per label", "wcgan/cifar10", ["model.dropout=channels", "generator.ema_kimg=25"])}
# In the order of training, the longest first; then the W-GANs, which need the time that the pairs took.
ORDER_OF_TRAINING = ["wide", "pairs", "conditional", "projection", "dcgan"]
# What the pilot does not measure takes as long as this does.
LIKE = {"pairs": "dcgan", "wasserstein": "dcgan"}
# D: the first scores higher than the second.
ORDER = [("pairs", "conditional"), ("conditional", "dcgan")]
CONTROLS = [("pairs", "projection"), ("pairs", "wide")]


def run_name(arm, seed):
    return f"{arm}-seed{seed}"


def result_name(arm, seed, share):
    return f"{run_name(arm, seed)}-{share:.0%}".rstrip("%")


def metrics_of(arm):
    return METRICS + (METRICS_WITHIN_LABELS if ARMS[arm].has_labels else [])


def train(study, run, arm, settings):
    study.train(run, [*SETTINGS, *ARMS[arm].settings, *settings], config=ROOT / f"configs/runs/{ARMS[arm].config}.yaml")


def labels_of_run(study, arm, seed):
    """Returns what labels.json has of each label."""
    return json.loads((study.folder / run_name(arm, seed) / "labels.json").read_text())


class Plan(NamedTuple):
    kimg: float
    deadline: float  # of time.monotonic()
    wasserstein_model: str


def settings_until(study, arm, seed, share, plan):
    """Returns what a run sets over its arm, to train until this share of its length."""
    if arm != "wasserstein":
        return [f"training.seed={seed}", f"training.total_kimg={share * plan.kimg:g}"]
    seconds = sum(label["spent_seconds"] for label in labels_of_run(study, "pairs", seed))
    return [f"training.seed={seed}", f"model.name={plan.wasserstein_model}", f"training.total_kimg={ENDLESS_KIMG}",
            f"budget.wall={share * seconds:.3f}s"]


def finish(study, arm, seed, plan):
    """Trains a run, and evaluates it after SHARES of its training. Leaves out what has been done, and stops at the deadline."""
    for share in SHARES:
        result = result_name(arm, seed, share)
        if study.result(result) is not None:
            continue
        if time.monotonic() >= plan.deadline:
            return
        train(study, run_name(arm, seed), arm, settings_until(study, arm, seed, share, plan))
        score = study.evaluate(run_name(arm, seed), result, metrics_of(arm))["is4k"]
        print(f"{result}: score {score:.3f}", flush=True)


def unfinished(study, seeds):
    """Returns the names of the runs that lack an evaluation."""
    return [run_name(arm, seed) for seed in seeds for arm in ARMS
            if any(study.result(result_name(arm, seed, share)) is None for share in SHARES)]


def seconds_per_kimg(study, arm):
    """Trains for a moment. Returns the mean rate without the first tick."""
    run = f"pilot-{arm}"
    train(study, run, arm, [f"training.total_kimg={PILOT_KIMG}", f"training.tick_kimg={PILOT_KIMG / 4}"])
    ticks = [json.loads(line)["s_per_kimg"] for line in (study.folder / run / "stats.jsonl").read_text().splitlines()]
    return statistics.mean(ticks[1:])


def affordable_epochs(rates, evaluation_seconds, kimg_per_epoch, seconds):
    """Returns how many whole epochs all arms, with one seed, can train in so many seconds of one core.

    rates: seconds per kimg of the measured arms.
    """
    evaluations = len(ARMS) * len(SHARES) * (evaluation_seconds + START_SECONDS)
    return int((seconds - evaluations) / (kimg_per_epoch * sum(rates[LIKE.get(arm, arm)] for arm in ARMS)))


def pilot(study, arguments):
    """Returns the epochs of the study. Measures, once, how many there is time for."""
    file = study.folder / "pilot.json"
    if not file.exists():
        measured = [arm for arm in ORDER_OF_TRAINING if arm not in LIKE]
        rates = dict(zip(measured, run_jobs([functools.partial(seconds_per_kimg, study, arm) for arm in measured], arguments.jobs)))
        evaluation = study.evaluate("pilot-projection", "pilot-evaluation", metrics_of("projection"))["seconds"]
        affordable = affordable_epochs(rates, evaluation, study.shape()[0] / 1000,
                                       3600 * arguments.hours * arguments.jobs / len(arguments.seeds))
        file.write_text(json.dumps({"seconds_per_kimg": rates, "seconds_per_evaluation": evaluation, "affordable_epochs": affordable,
                                    "epochs": min(arguments.epochs, affordable)}))
    found = json.loads(file.read_text())
    rates = ", ".join(f"{ARMS[arm].title} {rate:.2f}" for arm, rate in found["seconds_per_kimg"].items())
    print(f"pilot: s/kimg of {rates}; {found['affordable_epochs']} epochs would fit, {found['epochs']} are trained", flush=True)
    if found["epochs"] < 1:
        sys.exit(f"there is no time for an epoch: remove {file}, and start again with more --hours")
    return found["epochs"]


def mean_result(results):
    """Returns the means of several results, of each number and of each list of numbers, element by element."""
    def mean(values):
        return [statistics.mean(some) for some in zip(*values)] if isinstance(values[0], list) else statistics.mean(values)
    return {key: mean([result[key] for result in results]) for key, value in results[0].items() if not isinstance(value, str)}


def values_of(study, seeds):
    """Returns {arm: the values of its runs}."""
    return {arm: [mean_result([study.result(result_name(arm, seed, share)) for share in LAST]) for seed in seeds] for arm in ARMS}


def at_ceiling(scores, real_score):
    """Returns the arms whose mean score is too near to that of real images, or above. scores: {arm: those of the seeds}."""
    return {arm for arm, values in scores.items() if statistics.mean(values) >= CEILING * real_score}


def p_of_order(scores, pairs):
    """Returns the p-value of each pair of arms, of which the first should score higher than the second."""
    return [p_of_higher(scores[lower], scores[higher]) for higher, lower in pairs]


def verdict_on_d(scores, real_score):
    ceiling = at_ceiling(scores, real_score)
    if any(ceiling.issuperset(pair) for pair in ORDER):
        return "is not decided"
    return "holds" if max(holm(p_of_order(scores, ORDER))) < ALPHA else "does not hold"


def differences(ones, others, key):
    """Returns by how much a value of each label is higher in `others` than in `ones`, runs with the same seeds."""
    return [other - one for mine, theirs in zip(ones, others) for one, other in zip(mine[key], theirs[key])]


def p_within_labels(pairs, wasserstein):
    """Returns the p-values of lower distances and of higher recall of the W-GANs."""
    return (p_of_positive(differences(wasserstein, pairs, DISTANCES)), p_of_positive(differences(pairs, wasserstein, RECALLS)))


def verdict_on_w(pairs, wasserstein):
    return "holds" if max(p_within_labels(pairs, wasserstein)) < ALPHA else "does not hold"


def print_tests_of_scores(scores, real_score):
    ceiling = [ARMS[arm].title for arm in ARMS if arm in at_ceiling(scores, real_score)]
    print(f"\nscore of real images: {real_score:.2f}; at least {CEILING:.0%} of it, and not ranked: {'; '.join(ceiling) or 'none'}")
    for (higher, lower), p in zip(ORDER, holm(p_of_order(scores, ORDER))):
        print(f"{ARMS[higher].title} > {ARMS[lower].title}: p {p:.4f} (Holm)")
    for (higher, lower), p in zip(CONTROLS, p_of_order(scores, CONTROLS)):
        print(f"{ARMS[higher].title} > {ARMS[lower].title}: p {p:.4f} (a control)")


def print_tests_within_labels(pairs, wasserstein):
    lower = differences(wasserstein, pairs, DISTANCES)
    higher = differences(pairs, wasserstein, RECALLS)
    for title, values, p in zip(("distance within a label lower", "recall within a label higher"), (lower, higher),
                                p_within_labels(pairs, wasserstein)):
        print(f"{ARMS['wasserstein'].title}, {title} by {statistics.mean(values):.4f} than {ARMS['pairs'].title}, "
              f"in {sum(value > 0 for value in values)} of {len(values)} pairs: p {p:.4f}")


def print_time_of_labels(study, seeds):
    for arm in ("pairs", "wasserstein"):
        labels = [label for seed in seeds for label in labels_of_run(study, arm, seed)]
        seconds, images = (statistics.mean(label[key] for label in labels) for key in ("spent_seconds", "images_seen"))
        print(f"{ARMS[arm].title}: {seconds:.0f} s and {images / 1000:.0f} kimg a label")


def draw(study, seed):
    """Writes images of each arm: eight rows of four latents, whose labels are one after the other."""
    for arm in ARMS:
        file = study.folder / f"{arm}.png"
        if not file.exists():
            study.run(1, run_name(arm, seed), "generate", "--run", study.folder / run_name(arm, seed), "--seeds", f"0-{8 * CLASSES - 1}",
                      "--grid", f"8x{CLASSES}", "--scale", "2", "--out", file)


def print_curves(study, seeds):
    print(f"| mean score after | {' | '.join(f'{share:.0%}' for share in SHARES)} |\n" + "|---" * (1 + len(SHARES)) + "|")
    for arm in ARMS:
        means = [statistics.mean(study.result(result_name(arm, seed, share))["is4k"] for seed in seeds) for share in SHARES]
        print(f"| {ARMS[arm].title} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    print()


def print_result(study, arguments, epochs):
    values = values_of(study, arguments.seeds)
    print_curves(study, arguments.seeds)
    print_table(f"{', '.join(study.classes)}, {epochs} epochs", {ARMS[arm].title: some for arm, some in values.items()}, COLUMNS)
    print()
    labeled = {ARMS[arm].title: some for arm, some in values.items() if ARMS[arm].has_labels}
    print_table("within labels", labeled, COLUMNS_WITHIN_LABELS)
    scores = {arm: [value["is4k"] for value in some] for arm, some in values.items()}
    print_tests_of_scores(scores, study.real_score)
    print_tests_within_labels(values["pairs"], values["wasserstein"])
    print_time_of_labels(study, arguments.seeds)
    print(f"verdict{' of a trial, not of the study as planned' if is_trial(arguments, PLANNED) else ''}: "
          f"D {verdict_on_d(scores, study.real_score)}, W {verdict_on_w(values['pairs'], values['wasserstein'])}")


def parsed():
    parser = options(__doc__, ["cifar10"])
    parser.set_defaults(seeds=PLANNED["seeds"])
    parser.add_argument("--epochs", type=int, default=PLANNED["epochs"], help="at most")
    parser.add_argument("--hours", type=float, default=2.25, help="of all trainings and evaluations, which limit the epochs")
    add_minutes(parser, "part of a run")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, of one thread each")
    parser.add_argument("--classes", nargs=CLASSES, metavar="NAME", help="instead of those that differ most")
    parser.add_argument("--classifier-epochs", type=int, default=24)
    parser.add_argument("--wasserstein-model", default=PLANNED["wasserstein_model"], choices=["wgan", "wgan_resnet"])
    arguments = parser.parse_args()
    if len(set(arguments.seeds)) < max(2, len(arguments.seeds)):
        parser.error("Welch's test needs two seeds or more, each once")
    return arguments


def main():
    arguments = parsed()
    deadline = deadline_of(arguments)
    study = FourClasses(arguments)
    study.keep_plan(arguments, PLANNED)
    epochs = pilot(study, arguments)
    plan = Plan(epochs * study.shape()[0] / 1000, deadline, arguments.wasserstein_model)
    for arms in (ORDER_OF_TRAINING, ["wasserstein"]):
        run_jobs([functools.partial(finish, study, arm, seed, plan) for seed in arguments.seeds for arm in arms], arguments.jobs)
    if left := unfinished(study, arguments.seeds):
        print(f"no verdict yet: {len(left)} of {len(ARMS) * len(arguments.seeds)} runs are left: {', '.join(left)}")
        return 0
    draw(study, arguments.seeds[0])
    print_result(study, arguments, epochs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
