"""The stage "bench-models" of scripts/gpu-check.sh: steps of each family of models on random images, with CUDA graphs and without.

    python3 scripts/gpu_check/models.py BUILD FIGURES [--only NAME,...]

FIGURES, a JSON file, has what `ganscale bench --json` says of each, or null if it failed or took too long; then the script ends with 1.
"""
import argparse
import json
import pathlib
import subprocess
import sys

from trainings import RECORDABLE

MOST_SECONDS = 90  # of one, with its start, in which cuDNN tries algorithms for each shape
# Each phase is captured when it runs the fourth time, in the warm-up, and the window has all phases as often as they are due: StyleGAN3
# has one of every 16th step.
WINDOW = ["measure.warmup_steps=10", "measure.steps=20"]
LAZY_WINDOW = ["measure.warmup_steps=64", "measure.steps=16"]

BIGGAN = ["model.preset=biggan", "training.precision=bf16", "training.batch=64", *WINDOW]
MODELS = {
    "dcgan-64": ["model.name=dcgan", "model.resolution=64", "training.batch=64", *WINDOW],
    "biggan-32": [*BIGGAN, "model.resolution=32"],
    "biggan-128": [*BIGGAN, "model.resolution=128"],
    "biggan-128-plain": [*BIGGAN, "model.resolution=128", "training.layout=plain"],
    "r3gan-64": ["model.preset=r3gan-ffhq64", "training.precision=bf16", "training.batch=32", *WINDOW, *RECORDABLE],
    "stylegan3-t-256": ["model.preset=stylegan3-t", "model.resolution=256", "training.precision=fp16", "training.batch=16", *LAZY_WINDOW,
                        *RECORDABLE],
}
RUNS = {f"{name}{suffix}": [*settings, f"training.cuda_graphs={graphs}"] for name, settings in MODELS.items()
        for suffix, graphs in (("", "false"), ("-graphs", "true"))}


def bench(program, settings):
    """Returns what `ganscale bench --json` says. Throws: subprocess.SubprocessError: it failed or took too long."""
    command = [program, "bench", "--json", *(f"--set={word}" for word in settings)]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True, timeout=MOST_SECONDS)
    return json.loads(done.stdout)


def line_of(name, figures):
    return (f"{name:24} {1000 * figures['step_seconds_mean']:8.1f} ms per step  {figures['seconds_per_kimg']:8.3f} s/kimg  "
            f"{figures['images_per_second']:8.0f} images/s")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(RUNS), metavar="NAME,...")
    chosen = parser.parse_args(arguments)
    done = {}
    for name in chosen.only:
        try:
            done[name] = bench(chosen.build / "bin/ganscale", RUNS[name])
            print(line_of(name, done[name]), flush=True)
        except subprocess.SubprocessError as error:
            done[name] = None
            print(f"{name:24} {error}", flush=True)
        chosen.figures.write_text(json.dumps(done, indent=1) + "\n")
    return 0 if all(done.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
