#!/usr/bin/env python3
"""Searches for options of AdaBelief for G, with Adam for D (ParaGAN's asymmetric policy), that are not worse than Adam for both, on a small
BigGAN.

    benchmarks/quality/biggan_pairing.py FOLDER [--steps 2000] [--seeds 1 2 3 4 5] [--minutes 60]     # until it ends with a verdict

Trains the BigGAN of configs/runs/cifar10-biggan.yaml with fewer channels, one step of D a step of G. Score and distance are those of a
classifier that the study trains; a step with NaN ends a run, whose distance is then infinite.

First, all policies train with the search's seed. The AdaBelief and the Adam with the lowest distances then train with the other seeds, and
so does AdaBelief with its authors' options for GANs. AdaBelief divides by the deviation of a gradient from its moving mean, not by its root
mean square.
For noise, that is smaller by a factor of beta1 sqrt(2 / (1 + beta1)): 0.58 for a beta1 of 0.5, so that its steps are 1.7 times as long as
Adam's with the same rate. The search has Adam with a beta1 of 0.5, to tell the effect of the momentum, and a rate that makes up for the
steps. Epsilon is added to the variance in every step, so it amounts to 1000 epsilon: 1e-12 does nothing, 1e-8 limits the steps of gradients
below 0.003. The lower rates with an epsilon of 1e-8, and a third of the rate, were added to the search after two of the other seeds, where
the best AdaBelief until then, with an epsilon of 1e-8 (0.88 with the search's seed), had distances of 1.19 and 1.71, and Adam 0.82 and
0.92.

Criteria, older than the results, by Welch's interval for the ratio of the geometric mean distances over the other seeds, at a level of 5%:
AdaBelief is not worse if the one-sided upper bound of its ratio to Adam is at most 1.1, worse if the lower bound is above 1.1, and
otherwise not shown to be either.

Prints a table of the search and one of the seeds, and a verdict; exit code 0 whatever it is. Writes the report of each run, whose grids
have a row for each label. An interrupted study resumes; with --minutes, no run starts after that time.
"""
import json
import math
import sys

from study import ROOT, Failed, Study, add_minutes, deadline_of, options, print_table
from welch import interval

CONFIG = ROOT / "configs/runs/cifar10-biggan.yaml"
RATE = 2e-4  # of both networks, in CONFIG
COLUMNS = {"score": "is5k", "Fréchet distance": "fid5k"}
DIVERGED = {"is5k": 1, "fid5k": math.inf}
BOUND = 1.1
CONFIDENCE = 0.9  # of both bounds: 95% of each
AUTHORS = "AdaBelief, epsilon 1e-12"


def of_generator(*settings):
    return [f"generator.optimizer.{setting}" for setting in settings]


def adabelief(*settings):
    return of_generator("name=adabelief", "betas=[0.5,0.999]", *settings)


def rate(factor):
    return f"learning_rate={RATE * factor:.3g}"


# Settings of G's optimizer. D's is Adam.
ADABELIEFS = {AUTHORS: adabelief("epsilon=1e-12"),
              "AdaBelief, epsilon 1e-10": adabelief("epsilon=1e-10"),
              "AdaBelief, epsilon 1e-8": adabelief("epsilon=1e-8"),
              "AdaBelief, rectified": adabelief("epsilon=1e-12", "rectify=true"),
              "AdaBelief, 0.58 of the rate": adabelief("epsilon=1e-12", rate(1 / math.sqrt(3))),
              "AdaBelief, a third of the rate": adabelief("epsilon=1e-12", rate(1 / 3)),
              "AdaBelief, epsilon 1e-8, 0.58 of the rate": adabelief("epsilon=1e-8", rate(1 / math.sqrt(3))),
              "AdaBelief, epsilon 1e-8, a third of the rate": adabelief("epsilon=1e-8", rate(1 / 3))}
ADAMS = {"Adam, beta1 0": [], "Adam, beta1 0.5": of_generator("betas=[0.5,0.999]"),
         "Adam, beta1 0.5, a third of the rate": of_generator("betas=[0.5,0.999]", rate(1 / 3))}
POLICIES = {**ADAMS, **ADABELIEFS}


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
    """Trains and evaluates these runs, (policy, seed), where that has not been done. Returns the names of those left at the deadline."""
    def one(run, policy, seed):
        try:
            study.train(run, [*settings(arguments, seed), *POLICIES[policy]], config=CONFIG)
        except Failed as failure:
            if not failure.is_divergence():
                raise
            (study.results / f"{run}.json").write_text(json.dumps(DIVERGED))
        study.run(1, run, "report", study.folder / run)
        print(f"{run}: distance {study.evaluate(run, run, list(COLUMNS.values()))['fid5k']:.3f}", flush=True)

    return study.finish({run_name(*run): run for run in runs}, one, arguments.jobs, deadline)


def rows_of(study, policies, seeds):
    return {policy: [study.result(run_name(policy, seed)) for seed in seeds] for policy in policies}


def log_distances(results):
    return [math.log(result["fid5k"]) for result in results]


def verdict_of(adam, adabelief):
    """Returns the verdict on a policy, and the bounds of its ratio, from the results of both."""
    if any(math.isinf(distance) for distance in log_distances(adabelief)):
        return "worse: it diverged"
    low, high = (math.exp(bound) for bound in interval(log_distances(adam), log_distances(adabelief), CONFIDENCE))
    verdict = "not worse" if high <= BOUND else "worse" if low > BOUND else "not shown to be worse or not worse"
    return f"{verdict}: {low:.2f} to {high:.2f} times Adam's distance"


def parsed():
    parser = options(__doc__, ["cifar10"])
    parser.set_defaults(seeds=[1, 2, 3, 4, 5])
    parser.add_argument("--search-seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--channels", type=int, default=16, help="of the narrowest layer; configs/runs has 64")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, of one thread each")
    add_minutes(parser)
    arguments = parser.parse_args()
    if len(set(arguments.seeds) - {arguments.search_seed}) < max(2, len(arguments.seeds)):
        parser.error("Welch's interval needs two seeds or more, each once, and none of the search's")
    return arguments


def main():
    arguments = parsed()
    deadline = deadline_of(arguments)
    study = Study(arguments)
    study.keep_plan(arguments, ["steps", "batch", "channels", "set", "search_seed"])
    if left := finish(study, arguments, [(policy, arguments.search_seed) for policy in POLICIES], deadline):
        print(f"no verdict yet: left are {', '.join(left)}, and the other seeds")
        return 0
    searched = rows_of(study, POLICIES, [arguments.search_seed])
    print_table(f"CIFAR-10, {arguments.steps} steps, seed {arguments.search_seed}", searched, COLUMNS)
    adam, best = (min(some, key=lambda policy: searched[policy][0]["fid5k"]) for some in (ADAMS, ADABELIEFS))
    compared = list(dict.fromkeys([adam, AUTHORS, best]))
    if left := finish(study, arguments, [(policy, seed) for seed in arguments.seeds for policy in compared], deadline):
        print(f"no verdict yet: left are {', '.join(left)}")
        return 0
    rows = rows_of(study, compared, arguments.seeds)
    print_table(f"CIFAR-10, {arguments.steps} steps, other seeds", rows, COLUMNS)
    for policy in compared[1:]:
        print(f"verdict on {policy}, against {adam}: {verdict_of(rows[adam], rows[policy])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
