#!/usr/bin/env python3
"""Compares small versions of a DC-GAN, a StyleGAN2 with ADA and an R3GAN after the same time on the same machine.

    benchmarks/quality/three_models.py FOLDER [--dataset cifar10|letters] [--minutes 60]     # until it prints its table

All three are conditional and train on 32 x 32 pixels. First the rates of all on two ranks of one thread each are measured in turn, which
needs two idle cores, and kept in rates.json. Each gets as many images as in --seconds at its rate. First, each trains on a fifth of them
with each of two weights of its penalties, with a seed of their own, and then on all with the better weight, by the distance. As the results
depend neither on the number of ranks nor on what else runs, only the rates need an idle machine; the trainings have one rank each, --jobs
at a time.

    DC-GAN        that of the demo: R1 every eighth step, batches of 32
    StyleGAN2     preset small with at most 64 channels and adaptive augmentation, which makes a step dearer as it grows: its rate is
                  measured with a fixed p of 0.2; without style mixing and path lengths, as in preset cifar
    R3GAN         preset r3gan with 48 channels and a block in each stage, batches of 16; all its schedules end with the training; without
                  augmentation, as it sees an image of CIFAR-10 only a few times, and a letter about ten times. By a pilot of 20 kimg on
                  CIFAR-10, the distance was 2.1 with its rate of 0.001, and 5.1 with the published 0.0002.

All learning rates fall by a cosine. Distances are those of 5,000 generated images to all images, in the features of a classifier that the
study trains; they are comparable only within a table. Prints the table and which model's mean distance is the lowest. MODEL.png, in the
folder of results, has images of the first seed, a column for each label, or for the first ten. An interrupted study resumes; with
--minutes, no run starts after that time.
"""
import statistics
import sys

from study import RATE_KIMG, Study, add_minutes, deadline_of, options, print_table

LABELS_DRAWN = 10
ROWS_DRAWN = 8
NETWORKS = ("generator", "discriminator")
COMMON = ["model.resolution=32", "scheme.name=synchronous", "training.threads=1", "training.tick_kimg=2",
          "checkpoint.every_kimg=5"]


def falling_rates(generator, discriminator, final_fraction):
    """Returns the settings of Adam's rates, which fall by a cosine to this fraction."""
    return [f"{network}.optimizer.{setting}" for network, rate in zip(NETWORKS, (generator, discriminator))
            for setting in (f"learning_rate={rate}", "schedule.name=cosine", f"schedule.final_fraction={final_fraction}")]


def dcgan(_kimg, weight):
    return ["model.name=conditional_dcgan", "model.batch_norm=synchronized", "training.batch=32", "generator.ema_kimg=5",
            "generator.optimizer.betas=[0.5,0.999]", "discriminator.optimizer.betas=[0.5,0.999]",
            f"discriminator.r1_gamma={weight}", "discriminator.r1_interval=8", *falling_rates(0.0005, 0.001, 0.1)]


def stylegan2(_kimg, weight):
    return ["model.name=stylegan2", "model.preset=small", "model.conditional=true", "model.channel_base=1024", "model.channel_max=64",
            "model.style_mixing=0", "generator.path_length_weight=0", "generator.path_length_interval=0", "augment.name=ada",
            f"discriminator.r1_gamma={weight}", *falling_rates(0.0025, 0.0025, 0.1)]


def r3gan(kimg, weight):
    ends = [f"{network}.optimizer.{schedule}.kimg={kimg}" for network in NETWORKS for schedule in ("schedule", "beta2_schedule")]
    return ["model.preset=r3gan", "model.conditional=true", "model.channel_max=48", "model.blocks=[1,1,1,1]", "training.batch=16",
            "training.precision=fp32", f"discriminator.r1_gamma={weight}", f"discriminator.r2_gamma={weight}",
            f"discriminator.gamma_schedule.kimg={kimg}", "generator.ema_schedule.final_kimg=5", f"generator.ema_schedule.kimg={kimg}",
            "augment.p_schedule.final=0", f"augment.p_schedule.kimg={kimg}", *falling_rates(0.001, 0.001, 0.1), *ends]


MODELS = {"DC-GAN": dcgan, "StyleGAN2 with ADA": stylegan2, "R3GAN": r3gan}
AT_THEIR_RATE = {"StyleGAN2 with ADA": ["augment.adaptive=false", "augment.p=0.2"]}
WEIGHTS = (0.05, 1)
SEARCH_SHARE = 0.2  # of the images that a training gets; after 20 kimg, rounding decided which weight of StyleGAN2 was better
SEARCH_SEED = 0


def file_name(model):
    return model.split()[0].lower()


def settings_of(model, dataset, kimg, weight):
    mirror = "true" if dataset == "cifar10" else "false"
    return [*COMMON, f"data.mirror={mirror}", *MODELS[model](kimg, weight)]


def settings_at_their_rate(dataset):
    return {model: [*settings_of(model, dataset, RATE_KIMG, WEIGHTS[0]), *AT_THEIR_RATE.get(model, [])] for model in MODELS}


def run_name(model, seed):
    return f"{file_name(model)}-seed{seed}"


def search_name(model, weight):
    return f"search-{file_name(model)}-weight{weight:g}"


def train(study, run, settings, kimg, seed):
    """Trains and evaluates a run."""
    study.train(run, [*settings, f"training.total_kimg={kimg}", f"training.seed={seed}"])
    print(f"{run}: {study.evaluate(run, run)['fid5k']:.3f}", flush=True)


def search(study, arguments, kimg, deadline):
    """Trains each model with each weight for a while. Returns the better weight of each model; None if runs are left at the deadline.

    kimg: what each model's training gets.
    """
    def one(run, model, weight):
        share = int(SEARCH_SHARE * kimg[model])
        train(study, run, settings_of(model, arguments.dataset, share, weight), share, SEARCH_SEED)

    runs = {search_name(model, weight): (model, weight) for model in MODELS for weight in WEIGHTS}
    if left := study.finish(runs, one, arguments.jobs, deadline):
        print(f"no table yet: left are {', '.join(left)}, and then the trainings")
        return None
    weights = {model: min(WEIGHTS, key=lambda weight: study.result(search_name(model, weight))["fid5k"]) for model in MODELS}
    better = ", ".join(f"{model} {weight:g}" for model, weight in weights.items())
    print(f"better weights after {SEARCH_SHARE:.0%} of the images: {better}", flush=True)
    return weights


def finish(study, arguments, kimg, weights, deadline):
    """Trains and evaluates all runs, where that has not been done. Returns the names of those left at the deadline."""
    def one(run, model, seed):
        train(study, run, settings_of(model, arguments.dataset, kimg[model], weights[model]), kimg[model], seed)
        if seed == arguments.seeds[0]:
            draw(study, model, run)

    runs = {run_name(model, seed): (model, seed) for seed in arguments.seeds for model in MODELS}
    return study.finish(runs, one, arguments.jobs, deadline)


def draw(study, model, run):
    """Writes images of a run, whose columns have a label each."""
    labels = ",".join(map(str, range(LABELS_DRAWN)))
    study.run(1, run, "generate", "--run", study.folder / run, "--seeds", f"0-{LABELS_DRAWN * ROWS_DRAWN - 1}", "--labels", labels,
              "--grid", f"{ROWS_DRAWN}x{LABELS_DRAWN}", "--scale", "2", "--out", study.results / f"{file_name(model)}.png")


def parsed():
    parser = options(__doc__, ["cifar10", "letters"])
    parser.set_defaults(seeds=[1, 2])
    parser.add_argument("--seconds", type=float, default=1800, help="that a training would take on these ranks")
    parser.add_argument("--ranks", type=int, default=2, help="of one thread each, whose rates are measured")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, of one thread each")
    add_minutes(parser)
    return parser.parse_args()


def print_result(arguments, kimg, rows):
    print_table(arguments.dataset, {f"{model}, {kimg[model]} kimg": row for model, row in rows.items()})
    distances = {model: statistics.mean(result["fid5k"] for result in row) for model, row in rows.items()}
    best = min(distances, key=distances.get)
    print(f"lowest mean distance of {len(rows[best])} seeds in {arguments.seconds:g} s: {best}, {distances[best]:.3f}")


def main():
    arguments = parsed()
    deadline = deadline_of(arguments)
    study = Study(arguments)
    study.keep_plan(arguments, ["seconds", "ranks", "set"])
    kimg = study.kimg_in(arguments.seconds, settings_at_their_rate(arguments.dataset), arguments.ranks)
    weights = search(study, arguments, kimg, deadline)
    if weights is None:
        return 0
    if left := finish(study, arguments, kimg, weights, deadline):
        print(f"no table yet: left are {', '.join(left)}")
        return 0
    rows = {model: [study.result(run_name(model, seed)) for seed in arguments.seeds] for model in MODELS}
    print_result(arguments, kimg, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
