#!/usr/bin/env python3
"""Decides whether a small StyleGAN2 becomes as good on eight ranks as on two, as Loppi & Kynkäänniemi 2021 found with 16 and 4 GPUs.

    benchmarks/quality/two_and_eight_ranks.py FOLDER [--minutes 60]     # until it ends with a verdict
    benchmarks/quality/two_and_eight_ranks.py FOLDER --estimate         # how many hours all runs take

A run. The mode is the paper's: each rank has its own seed (seed_mode: rank), shard (shard: fixed), running means and groups of the
minibatch standard deviation. The global batch is 16, so a rank has 8 or 2 images, as with the paper's batch of 32, and groups of 4 or 2.
Ranks have one thread each; on two cores, eight ranks take turns. The data are CIFAR-10 without labels: a run sees each of the 50,000 images
three times. Each of the 3,647 emoji would be seen 41 times, by one rank of eight alone, so the discriminator could memorize them; and the
distances of emoji deviated among seeds by a fifth or more in one_and_four_ranks.py, which is too much for a bound of 10%.

Its number. The mean, over the five evaluations of the last third, of the logarithm of the Fréchet distance of 5,000 samples to all images,
in the features of a classifier that the study trains. So that this mean depends little on the moment, the learning rates fall to a tenth by
a cosine, and the generator's moving average has a half-life of a tenth of the images seen, at most 10 kimg.

Arms. Eight seeds on 2 ranks, eight on 8 ranks, and as a positive control four on 2 ranks with both learning rates doubled. No two ranks of
all runs have the same seed, and each run starts from other weights, as the test of two independent samples requires.

After four seeds of each arm, the deviation of the seeds within 2 and within 8 ranks, pooled, decides how many follow; no one looks at the
means. At most 6%: eight seeds. At most 8%: thirteen, which keeps the power. Above, no affordable number of seeds would be enough, and the
study ends: even before all of these runs, where those that are complete deviate so much that no result of the others would bring the
deviation of four seeds to 8%. Runs that diverged do not count for this; if no arm has two others, the study ends, too.

A run that diverges to NaN ends there, and its number is infinite. Where one of two arms has such a run, their two-sided test is Wilcoxon's
of the sum of ranks, in which that run comes last, and their one-sided tests do not reject. So a control is detected, for example, if all of
its runs diverge or are worse than all on 2 ranks; a single one of eight that diverges on 8 ranks is not yet a difference.

Criteria, older than the results, at a level of 5%, with Welch's standard error and degrees of freedom. The first that applies counts:

    no power                       the seeds deviate too much, or the two-sided test finds no difference between the control and 2 ranks
    equivalent within 10%          both one-sided tests (TOST) of the difference of 8 and 2 ranks against log(1.1) and -log(1.1) reject
    different                      the two-sided test finds a difference between 8 and 2 ranks
    not shown to be equivalent     otherwise

If the distances of the seeds deviate by 6%, equal means are found equivalent with a probability of 82%, and a control that differs by 16%
is detected with 90%. A difference that is both significant and shown to be within 10% counts as equivalent.

An interrupted study resumes, also within a run. With --minutes, no run starts after that time. Exit code 0 whatever the verdict, and if
there is none yet. With other seeds, lengths or settings than planned, which need a folder of their own, the verdict is that of a trial.
"""
import argparse
import json
import math
import statistics
import sys
import time
from typing import NamedTuple

from curves import curve, is_complete, kept_metrics, metrics_of, svg_of, trained_curve
from significance import p_of_other_ranks
from study import Failed, Study, add_minutes, deadline_of, is_trial, options
from welch import interval, p_of_difference, p_of_equivalence

ALPHA = 0.05
BOUND = math.log(1.1)
PLANNED = {"kimg": 150, "every": 10, "seeds": None, "set": []}
FIRST_SEEDS = 4  # which decide how many follow
SEEDS_BY_DEVIATION = {0.06: 8, 0.08: 13}  # up to this deviation
RATE = 0.0025


class Arm(NamedTuple):
    name: str  # of its runs
    ranks: int
    rate: float
    most_seeds: int
    first_seed: int  # which rank 0 adds to the thousands of a run's seed


TWO, EIGHT, CONTROL = "2 ranks", "8 ranks", "2 ranks, doubled rates"
ARMS = {TWO: Arm("ranks2", 2, RATE, 8, 0), EIGHT: Arm("ranks8", 8, RATE, 8, 100), CONTROL: Arm("doubled", 2, 2 * RATE, 4, 200)}


def settings_of(arm, seed):
    """Returns what an arm sets over the configuration of curves.py."""
    networks = [f"{network}.optimizer.{setting}" for network in ("generator", "discriminator")
                for setting in (f"learning_rate={arm.rate}", "schedule.name=cosine", "schedule.final_fraction=0.1")]
    # Ranks that share cores read slowly, which is no congestion that more reader threads would help.
    return ["model.channel_base=1024", "model.channel_max=32", "generator.ema_kimg=10", "generator.ema_ramp_up=0.1", *networks,
            f"training.seed={rank_0_seed(arm, seed)}", "training.threads=1", "training.tick_kimg=5",
            "data.reader_threads=1", "data.prefetch.congestion_aware=false"]


def rank_0_seed(arm, seed):
    """Returns training.seed, to which each rank adds its number."""
    return 1000 * seed + arm.first_seed


def runs_of(seeds):
    """Returns the title of the arm and the seed of each run, in the order of training: all arms of a seed, then the next seed."""
    return [(title, seed) for i, seed in enumerate(seeds) for title, arm in ARMS.items() if i < arm.most_seeds]


def run_name(title, seed):
    return f"{ARMS[title].name}-seed{seed}"


def last_third(measured, kimg):
    """Returns the part of a curve after two thirds of the images."""
    return {seen: distance for seen, distance in measured.items() if 3 * seen > 2 * kimg}


def mean_log_distance(measured, kimg):
    """Returns a run's number: the mean of log(distance) over the evaluations of the last third."""
    return statistics.mean(math.log(distance) for distance in last_third(measured, kimg).values())


def keep_divergence(study, name, kimg):
    """Ends the curve of a run that diverged with an infinite distance after all images, so that the run counts as complete."""
    lines = [*metrics_of(study, name), {"kimg": kimg, "fid5k": math.inf}]
    kept_metrics(study, name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def finite(values):
    return [value for value in values if value < math.inf]


def missing_evaluation(curves, kimg):
    """Returns the first run and kimg without an evaluation in the last third where other runs have one; None if there is none.

    Older programs did not make up for an evaluation in which they were interrupted; a run that diverged has a number without it.
    curves: {run: curve}.
    """
    ends = {run: last_third(measured, kimg) for run, measured in curves.items() if math.inf not in measured.values()}
    together = set().union(*ends.values())
    return next(((run, seen) for run, end in ends.items() for seen in sorted(together - set(end))), None)


def curves_of(study, arguments, seeds):
    """Returns {title of an arm: curves of its complete runs}."""
    by_run = {(title, seed): curve(study, run_name(title, seed)) for title, seed in runs_of(seeds)
              if is_complete(study, run_name(title, seed), arguments.kimg)}
    if missing := missing_evaluation(by_run, arguments.kimg):
        (title, seed), kimg = missing
        name = run_name(title, seed)
        sys.exit(f"{name} lacks the evaluation at {kimg:g} kimg, in which it was interrupted: remove {study.folder / name} and "
                 f"{kept_metrics(study, name)}, and start again")
    return {title: [measured for (arm, _), measured in by_run.items() if arm == title] for title in ARMS}


def numbers_of(curves, arguments):
    """Returns {title of an arm: its runs' numbers}."""
    return {title: [mean_log_distance(measured, arguments.kimg) for measured in some] for title, some in curves.items()}


def seconds_of(lines):
    """Returns how long a run took, evaluations included, of which only the last is not in training_seconds yet."""
    return lines[-1]["training_seconds"] + lines[-1]["seconds"]


def squares_and_degrees(arms):
    """Returns the sum of squares within arms, of the runs that did not diverge, and its degrees of freedom."""
    several = [values for values in map(finite, arms) if len(values) > 1]
    return sum((len(values) - 1) * statistics.variance(values) for values in several), sum(len(values) - 1 for values in several)


def pooled_deviation(*arms):
    """Returns the standard deviation within arms of the runs that did not diverge; infinity if no arm has two."""
    squares, degrees = squares_and_degrees(arms)
    return math.sqrt(squares / degrees) if degrees else math.inf


def least_deviation(*arms):
    """Returns the least deviation that the first seeds of arms can have, of which these runs are complete: others only add squares."""
    squares, _ = squares_and_degrees(arms)
    return math.sqrt(squares / (len(arms) * (FIRST_SEEDS - 1)))


def seeds_for(deviation):
    """Returns how many seeds an arm needs if they deviate so much; None if none of the planned numbers is enough."""
    return next((count for most, count in SEEDS_BY_DEVIATION.items() if deviation <= most), None)


def has_diverged(*arms):
    """Returns whether a run of these arms diverged."""
    return any(math.inf in values for values in arms)


def p_of_two_sides(one, other):
    """Returns the p-value of the two-sided test, which is one of ranks if a run diverged."""
    return p_of_other_ranks(one, other) if has_diverged(one, other) else p_of_difference(one, other)


def verdict_of(two, eight, control):
    """Returns the verdict from the numbers of the runs of each arm."""
    if p_of_two_sides(two, control) >= ALPHA:
        return "no power"
    if not has_diverged(two, eight) and p_of_equivalence(two, eight, BOUND) < ALPHA:
        return "equivalent within 10%"
    return "different" if p_of_two_sides(two, eight) < ALPHA else "not shown to be equivalent"


def row_of(title, values):
    """Returns an arm's row of the table: mean and deviation of the runs that did not diverge, and all distances."""
    ended = finite(values)
    mean = f"{math.exp(statistics.mean(ended)):.3f}" if ended else "none"
    deviation = f"{statistics.stdev(ended):.1%}" if len(ended) > 1 else "none"
    return f"| {title} | {len(values)} | {mean} | {deviation} | {', '.join(f'{math.exp(value):.3f}' for value in values)} |"


def comparison(title, two, other, confidence):
    """Returns a line with the ratio of the distances of an arm to those of 2 ranks, its interval and the p-values."""
    if has_diverged(two, other):
        return f"{title} / {TWO}: a run diverged; p of a difference, by ranks, {p_of_two_sides(two, other):.4f}"
    low, high = (math.exp(value) for value in interval(two, other, confidence))
    quotient = math.exp(statistics.mean(other) - statistics.mean(two))
    return (f"{title} / {TWO}: {quotient:.3f}, {confidence:.0%} interval {low:.3f} to {high:.3f}; p of a difference "
            f"{p_of_difference(two, other):.4f}, of equivalence {p_of_equivalence(two, other, BOUND):.4f}")


def of_trial(arguments):
    """Returns what a verdict is called if it is not that of the study as planned."""
    return " of a trial, not of the study as planned" if is_trial(arguments, PLANNED) else ""


def print_table(numbers):
    """numbers: {title of an arm: its runs' numbers}."""
    print("| arm | seeds | mean distance | deviation of the seeds | distances |\n|---|---|---|---|---|")
    for title, values in numbers.items():
        print(row_of(title, values))


def print_result(numbers, arguments):
    """numbers: {title of an arm: its runs' numbers}."""
    print_table(numbers)
    two, eight, control = (numbers[title] for title in ARMS)
    print(comparison(EIGHT, two, eight, 1 - 2 * ALPHA))  # inside of 1/1.1 to 1.1 where both one-sided tests reject
    print(comparison(CONTROL, two, control, 1 - ALPHA))
    print(f"verdict{of_trial(arguments)}: {verdict_of(two, eight, control)}")


def print_power_lack(study, arguments, seeds):
    """Prints and draws what is complete of a study whose seeds deviate too much."""
    curves = curves_of(study, arguments, seeds)
    (study.results / "curves.svg").write_text(svg_of(curves))
    print_table(numbers_of(curves, arguments))
    print(f"verdict{of_trial(arguments)}: no power")


def train_one(study, arguments, title, seed):
    """Trains a run, and prints its number and its time, or that it diverged."""
    name, arm = run_name(title, seed), ARMS[title]
    try:
        measured = trained_curve(study, name, arm.ranks, settings_of(arm, seed), arguments)
    except Failed as failure:
        if not failure.is_divergence():
            raise
        keep_divergence(study, name, arguments.kimg)
        print(f"{name}: diverged", flush=True)
    else:
        print(f"{name}: mean distance {math.exp(mean_log_distance(measured, arguments.kimg)):.3f}, "
              f"{seconds_of(metrics_of(study, name)):.0f} s", flush=True)


def train(study, arguments, seeds, deadline, is_decided=lambda: False):
    """Trains the runs of these seeds that are not complete, until the deadline, or until it is decided that they are not needed. Returns
    whether none is needed any more."""
    left = []
    for title, seed in runs_of(seeds):
        name = run_name(title, seed)
        if is_complete(study, name, arguments.kimg):
            continue
        if is_decided():
            return True
        if time.monotonic() < deadline:
            train_one(study, arguments, title, seed)
        else:
            left.append(name)
    if left:
        print(f"no verdict yet: {len(left)} of {len(runs_of(seeds))} runs are left: {', '.join(left)}")
    return not left


def seeds_of(study, arguments, deadline):
    """Returns the seeds of the study, as its first ones decide; None if these are not complete, or no number of seeds is enough."""
    if arguments.seeds:
        return arguments.seeds
    first = range(1, FIRST_SEEDS + 1)

    def two_and_eight():
        numbers = numbers_of(curves_of(study, arguments, first), arguments)
        return numbers[TWO], numbers[EIGHT]

    if not train(study, arguments, first, deadline, lambda: least_deviation(*two_and_eight()) > max(SEEDS_BY_DEVIATION)):
        return None
    two, eight = two_and_eight()
    deviation = pooled_deviation(two, eight)
    count = seeds_for(deviation)
    print(f"the first {len(two)} and {len(eight)} seeds deviate by {deviation:.1%}: {count or 'no number of'} seeds are enough", flush=True)
    if count is None:
        print_power_lack(study, arguments, first)
        return None
    return range(1, count + 1)


def print_estimate(study, arguments):
    """Trains a run of 2 and one of 8 ranks to their second evaluation, and prints how long all runs would take.

    The time between the first and the second counts: the first also extracts the features of the dataset, once per study.
    """
    short = argparse.Namespace(kimg=2 * arguments.every, every=arguments.every)
    seconds = {}
    for title in (TWO, EIGHT):
        name = f"estimate-{ARMS[title].name}"
        trained_curve(study, name, ARMS[title].ranks, settings_of(ARMS[title], 0), short)
        lines = metrics_of(study, name)
        seconds[ARMS[title].ranks] = (seconds_of(lines) - seconds_of(lines[:1])) / (lines[-1]["kimg"] - lines[0]["kimg"])
        print(f"{title}: {seconds[ARMS[title].ranks]:.2f} s/kimg with evaluations", flush=True)
    for count in [len(arguments.seeds)] if arguments.seeds else SEEDS_BY_DEVIATION.values():
        runs = runs_of(range(1, count + 1))
        hours = sum(seconds[ARMS[title].ranks] * arguments.kimg for title, _ in runs) / 3600
        print(f"{len(runs)} runs: {hours:.1f} hours")


def parsed():
    parser = options(__doc__, ["cifar10"])
    parser.set_defaults(seeds=PLANNED["seeds"])
    parser.add_argument("--kimg", type=float, default=PLANNED["kimg"])
    parser.add_argument("--every", type=float, default=PLANNED["every"], help="kimg between evaluations")
    add_minutes(parser)
    parser.add_argument("--estimate", action="store_true", help="only measure how long the study takes")
    arguments = parser.parse_args()
    if arguments.seeds and len(set(arguments.seeds)) < max(2, len(arguments.seeds)):
        parser.error("a standard error needs two seeds or more, each once")
    return arguments


def main():
    arguments = parsed()
    deadline = deadline_of(arguments)
    study = Study(arguments)
    study.keep_plan(arguments, PLANNED)
    if arguments.estimate:
        print_estimate(study, arguments)
        return 0
    seeds = seeds_of(study, arguments, deadline)
    if seeds is None or not train(study, arguments, seeds, deadline):
        return 0
    curves = curves_of(study, arguments, seeds)
    (study.results / "curves.svg").write_text(svg_of(curves))
    print_result(numbers_of(curves, arguments), arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
