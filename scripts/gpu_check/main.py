"""What scripts/gpu-check.sh runs: stages, each with its own limit, one after the other, the most informative ones first.

A failed stage does not end the next; exit code 1, and its name at the end. What each says is shown as it comes. Logs, figures
and traces of the last run of each stage are kept in BUILD/results, also over calls, and packed after each stage:
gpu-check.tar.gz holds all of them, gpu-check.json the figures.
"""
import argparse
import dataclasses
import datetime
import pathlib
import signal
import sys
import time

import stage
from results import Results
from stage import Stage

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
STYLEGAN2 = PROJECT / "benchmarks/stylegan2"
sys.path.insert(0, str(STYLEGAN2))
import on_gpu  # noqa: E402

STAGES = ("build", "versions", "test-gpu", "bench-32", "profile", "parity", "train", "bench-models", "bench-ours", "bench-peers",
          "test-unit")


LEAST_SECONDS = 5  # below that a stage is not begun


def options(arguments):
    parser = argparse.ArgumentParser(prog="gpu-check.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=on_gpu.listed(on_gpu.one_of(STAGES)), default=STAGES, metavar="STAGE,...",
                        help=f"of {', '.join(STAGES)}; default: all")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="of every stage, in place of its own")
    parser.add_argument("--prebuilt", action="store_true",
                        help="run the programs of .gpu-deps/programs.tar.xz, which scripts/gpu-prebuilt.sh makes elsewhere")
    parser.add_argument("--total", type=float, metavar="SECONDS",
                        help="of all stages together: what does not fit any more is cut short or left out")
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER",
                        help="where the build and the results are kept; default: build/gpu-check, with --prebuilt "
                             "build/gpu-check-prebuilt")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER",
                        help="where gpu-check.tar.gz and gpu-check.json go; default: the folder of --build")
    on_gpu.add_choices(parser)
    parser.set_defaults(contenders=None, precisions=None)  # each script has its own
    chosen = parser.parse_args(arguments)
    default = PROJECT / ("build/gpu-check-prebuilt" if chosen.prebuilt else "build/gpu-check")
    chosen.build = (chosen.build or default).resolve()
    chosen.out = chosen.out or chosen.build
    return chosen


def stages_of(chosen, results):
    """Returns all stages. Their limits are twice to thrice what they should take on 16 cores and an H100."""
    python, build, figures = sys.executable, chosen.build, results.figures
    choices = ["--build", build]
    for name in ("batches", "contenders", "precisions"):
        if getattr(chosen, name):
            choices += [f"--{name}", ",".join(str(value) for value in getattr(chosen, name))]
    if chosen.public:
        choices += ["--public", chosen.public]
    first = [python, STYLEGAN2 / "compare_on_gpu.py", "--build", build, "--batches", 32, "--precisions", "bf16",
             "--results", figures / "bench.json", "--side", "ours", "--most-seconds", 100]
    compare = [python, STYLEGAN2 / "compare_on_gpu.py", *choices, "--results", figures / "bench.json", "--side"]
    profile = [python, STYLEGAN2 / "profile_on_gpu.py", *choices, "--results", figures / "profile.json"]
    make = [HERE / "build.sh", build]
    if chosen.prebuilt:
        make = [python, HERE / "prebuilt.py", "unpack", PROJECT / ".gpu-deps/programs.tar.xz", build]
    return [Stage("build", 540, make),
            Stage("versions", 60, [python, HERE / "versions.py", build]),
            Stage("test-gpu", 300, [python, HERE / "tests.py", build, "gpu", figures / "test-gpu.json"]),
            Stage("bench-32", 240, first),
            Stage("profile", 420, [*profile, "--traces", results.traces]),
            Stage("parity", 300, [python, HERE / "parity.py", build, figures / "parity.json"]),
            Stage("train", 300, [python, HERE / "trainings.py", build, figures / "train.json"]),
            Stage("bench-models", 360, [python, HERE / "models.py", build, figures / "bench-models.json"]),
            Stage("bench-ours", 420, [*compare, "ours"]),
            Stage("bench-peers", 540, [*compare, "peers"]),
            Stage("test-unit", 300, [python, HERE / "tests.py", build, "unit", figures / "test-unit.json"])]


def say(began, text):
    print(f"[gpu-check {time.monotonic() - began:4.0f} s] {text}", flush=True)


def run_all(stages, results, out, total_seconds=None):
    """Runs the stages; returns the names of those that failed or ran out of time.

    total_seconds: of all of them; those for which no time is left are not begun.
    """
    began, told = time.monotonic(), []
    for one in stages:
        if total_seconds:
            left = total_seconds - (time.monotonic() - began)
            if left < LEAST_SECONDS:
                say(began, f"{one.name}: no time is left for it")
                continue
            one = dataclasses.replace(one, limit_seconds=min(one.limit_seconds, left))
        say(began, f"{one.name}, at most {one.limit_seconds:.0f} s")
        since, now = time.monotonic(), datetime.datetime.now(datetime.timezone.utc)
        try:
            code = stage.run(one, results.logs / f"{one.name}.log")
            facts = {"status": stage.status_of(code), "exit_code": code, "seconds": round(time.monotonic() - since, 1),
                     "began": now.isoformat(timespec="seconds")}
            results.add_stage(one.name, facts)
            told.append((one.name, facts))
        finally:  # also where this program is ended
            results.pack(out)
    for name, facts in told:
        say(began, f"{name:12} {facts['seconds']:6.1f} s  {facts['status']}")
    return [name for name, facts in told if facts["status"] in ("failed", "timed out")]


def main(arguments):
    chosen = options(arguments)
    for deadly in (signal.SIGINT, signal.SIGTERM):  # the stage in hand is ended, too
        signal.signal(deadly, lambda number, _: sys.exit(128 + number))
    results = Results(chosen.build / "results")
    stages = [one for one in stages_of(chosen, results) if one.name in chosen.only]
    if chosen.limit:
        stages = [dataclasses.replace(one, limit_seconds=chosen.limit) for one in stages]
    failed = run_all(stages, results, chosen.out, chosen.total)
    print(f"\nResults: {chosen.out}/gpu-check.tar.gz, {chosen.out}/gpu-check.json")
    if failed:
        print(f"gpu-check: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
