#!/usr/bin/env python3
"""Searches for options of AdaBelief for G, with Adam for D (ParaGAN's asymmetric policy), that are not worse than Adam for both, on a small
BigGAN.

    benchmarks/quality/biggan_pairing.py FOLDER [--steps 2000] [--seeds 1 2 3] [--minutes 60]     # until it ends with a verdict

Trains the BigGAN of configs/runs/cifar10-biggan.yaml with fewer channels, one step of D a step of G; a step with NaN ends it. Score and
distance are those of a classifier that the study trains.

First, all policies train with the search's seed. The AdaBelief with the lowest distance then trains with the other seeds, as Adam does, and
so does AdaBelief with its authors' options for GANs. AdaBelief divides by the deviation of a gradient from its moving mean, not by its root mean square.
For noise, that is smaller by a factor of beta1 sqrt(2 / (1 + beta1)): 0.58 for a beta1 of 0.5, so that its steps are 1.7 times as long as
Adam's with the same rate. The search has Adam with a beta1 of 0.5, to tell the effect of the momentum, and a rate that makes up for the
steps. Epsilon is added to the variance in every step, so it amounts to 1000 epsilon: 1e-12 does nothing, 1e-8 limits the steps of gradients
below 0.003.

Criterion, older than the results: the pairing is not worse if its mean distance over the other seeds is at most 10% above Adam's.

Prints a table of the search and one of the seeds, and a verdict; exit code 0 whatever it is. Writes the report of each run, whose grids
have a row for each label. An interrupted study resumes; with --minutes, no run starts after that time.
"""
import functools
import math
import statistics
import sys
import time

from study import ROOT, Study, options, print_table, run_jobs

CONFIG = ROOT / "configs/runs/cifar10-biggan.yaml"
RATE = 2e-4  # of both networks, in CONFIG
COLUMNS = {"score": "is5k", "Fréchet distance": "fid5k"}
BOUND = 1.1
ADAM, AUTHORS = "Adam", "AdaBelief, epsilon 1e-12"


def adabelief(*settings):
    return ["generator.optimizer.name=adabelief", "generator.optimizer.betas=[0.5,0.999]",
            *(f"generator.optimizer.{setting}" for setting in settings)]


# Settings of G's optimizer. D's is Adam.
ADABELIEFS = {AUTHORS: adabelief("epsilon=1e-12"),
              "AdaBelief, epsilon 1e-10": adabelief("epsilon=1e-10"),
              "AdaBelief, epsilon 1e-8": adabelief("epsilon=1e-8"),
              "AdaBelief, rectified": adabelief("epsilon=1e-12", "rectify=true"),
              "AdaBelief, 0.58 of the rate": adabelief("epsilon=1e-12", f"learning_rate={RATE / math.sqrt(3):.3g}")}
POLICIES = {ADAM: [], "Adam, beta1 0.5": ["generator.optimizer.betas=[0.5,0.999]"], **ADABELIEFS}


def settings(arguments, seed):
    kimg = arguments.steps * arguments.batch / 1000
    return [f"model.generator_channels={arguments.channels}", f"model.discriminator_channels={arguments.channels}",
            f"training.batch={arguments.batch}", f"training.total_kimg={kimg}", f"training.tick_kimg={kimg / 20}",
            f"training.samples_every_kimg={kimg / 4}", f"training.seed={seed}", "training.threads=1", "loss.critic_steps=1",
            "training.max_nonfinite_steps=0", "generator.ema_start_kimg=0",
            f"generator.ema_kimg={kimg / 50}", f"checkpoint.every_kimg={kimg / 4}"]


def run_name(policy, seed):
    return f"{'-'.join(''.join(c if c.isalnum() else ' ' for c in policy).split()).lower()}-seed{seed}"


def finish(study, arguments, runs, deadline):
    """Trains and evaluates these runs, (policy, seed), where that has not been done. Returns the names of those after the deadline."""
    def one(policy, seed):
        run = run_name(policy, seed)
        if study.result(run) is not None or time.monotonic() >= deadline:
            return
        study.train(run, [*settings(arguments, seed), *POLICIES[policy]], config=CONFIG)
        study.run(1, run, "report", study.folder / run)
        print(f"{run}: distance {study.evaluate(run, run, list(COLUMNS.values()))['fid5k']:.3f}", flush=True)

    run_jobs([functools.partial(one, *run) for run in runs], arguments.jobs)
    return [run_name(*run) for run in runs if study.result(run_name(*run)) is None]


def rows_of(study, policies, seeds):
    return {policy: [study.result(run_name(policy, seed)) for seed in seeds] for policy in policies}


def mean_distance(results):
    return statistics.mean(result["fid5k"] for result in results)


def verdict_of(rows, policy):
    ratio = mean_distance(rows[policy]) / mean_distance(rows[ADAM])
    return f"{policy}: {ratio:.2f} times Adam's distance, {'not worse' if ratio <= BOUND else 'worse'}"


def parsed():
    parser = options(__doc__, ["cifar10"])
    parser.add_argument("--search-seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--channels", type=int, default=16, help="of the narrowest layer; configs/runs has 64")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, of one thread each")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no run after this time")
    return parser.parse_args()


def main():
    arguments = parsed()
    deadline = time.monotonic() + 60 * arguments.minutes
    study = Study(arguments)
    if left := finish(study, arguments, [(policy, arguments.search_seed) for policy in POLICIES], deadline):
        print(f"no verdict yet: left are {', '.join(left)}, and the other seeds")
        return 0
    searched = rows_of(study, POLICIES, [arguments.search_seed])
    print_table(f"CIFAR-10, {arguments.steps} steps, seed {arguments.search_seed}", searched, COLUMNS)
    best = min(ADABELIEFS, key=lambda policy: mean_distance(searched[policy]))
    compared = list(dict.fromkeys([ADAM, AUTHORS, best]))
    if left := finish(study, arguments, [(policy, seed) for seed in arguments.seeds for policy in compared], deadline):
        print(f"no verdict yet: left are {', '.join(left)}")
        return 0
    rows = rows_of(study, compared, arguments.seeds)
    print_table(f"CIFAR-10, {arguments.steps} steps, other seeds", rows, COLUMNS)
    for policy in compared[1:]:
        print(f"verdict: {verdict_of(rows, policy)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
