"""What the studies of quality share: a dataset, a feature network for it, trainings, evaluations, tables.

All is kept in one folder: a study that is started again goes on where it ended. What finished runs have measured can be kept in another
folder, with which a study goes on on another machine.
"""
import argparse
import functools
import hashlib
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GANSCALE_SHARED", ROOT.parent / "shared"))
WIDE = ["--widths", "32", "64", "128"]
# What `ganscale data convert` and `feature_net` are given.
DATASETS = {"mnist": (["--from", str(SHARED / "data/mnist"), "--channels", "gray", "--fit", "pad"], []),
            "cifar10": (["--from", str(SHARED / "data/cifar10-jpeg/train.tar")], WIDE + ["--epochs", "8"]),
            "letters": (["--from-typefaces"], WIDE + ["--epochs", "8"]),
            "emoji": (["--from-font"], WIDE + ["--epochs", "20"])}
# Settings of all trainings, unless a study has others: without ports, samples and metrics.
QUIET = ["telemetry.metrics_port=-1", "telemetry.control_port=-1", "training.samples_every_kimg=0", "evaluate.metrics=[]",
         "evaluate.every_kimg=0"]
RATE_KIMG = 8
RATE_ROUNDS = 3
IDLE = 0.3  # programs that compute, by the mean of the last minute, at most
# What ganscale's message has if a training diverged.
DIVERGENCE = ["training diverged", "the generator returned NaN or infinity"]
METRICS = ["is5k", "fid5k", "pr5k3", "dc5k5"]
# Columns of a table: title, key of the result.
COLUMNS = {"score": "is5k", "Fréchet distance": "fid5k", "recall": "pr5k3_recall", "coverage": "dc5k5_coverage"}


def options(description, datasets):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of all that the study makes; started again, it resumes there")
    parser.add_argument("--results", type=Path, help="folder of the plan, rates, classifier, numbers and pictures: where only it is, a "
                        "study goes on without its finished runs; default: FOLDER")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--dataset", default=datasets[0], choices=datasets)
    parser.add_argument("--from", dest="source", help="the dataset's file or folder; default in $GANSCALE_SHARED/data")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all trainings")
    return parser


def add_minutes(parser, what="run"):
    parser.add_argument("--minutes", type=float, default=math.inf, help=f"start no {what} after this time")


def deadline_of(arguments):
    """Returns the time.monotonic() after so many minutes from now."""
    return time.monotonic() + 60 * arguments.minutes


class Failed(SystemExit):
    """A command of ganscale failed. Ends the study if nothing catches it."""
    def __init__(self, status, log):
        super().__init__(f"exit code {status}: see {log}")
        self.status, self.log = status, Path(log)

    def is_divergence(self):
        """Returns whether a training diverged to NaN, in its weights or in its images."""
        text = self.log.read_text()
        return any(message in text for message in DIVERGENCE)


class Study:
    def __init__(self, arguments):
        self.programs = arguments.build / "bin"
        for name in ("ganscale", "feature_net"):
            if not os.access(self.programs / name, os.X_OK):
                sys.exit(f"no {self.programs / name}: build the target {name} first, or name its build folder with --build")
        self.folder, self.settings = arguments.folder, arguments.set
        self.results = arguments.results or self.folder
        for folder in (self.folder, self.results):
            folder.mkdir(parents=True, exist_ok=True)
        self.data = self.folder / arguments.dataset
        self.feature_net = self.results / f"{arguments.dataset}.pt"
        self.prepare(arguments)

    def prepare(self, arguments):
        """Converts the dataset and trains its classifier, where that has not been done."""
        convert, network = DATASETS[arguments.dataset]
        if arguments.source:
            convert = ["--from", arguments.source, *convert[2:]]
        if not list(self.data.glob("*.tfrecords")):
            self.run(1, "convert", "data", "convert", *convert, "--to", self.data, "--resolution", "32")
        if not self.feature_net.exists():
            print(f"classifier of {arguments.dataset}: ", end="", flush=True)
            subprocess.run([self.programs / "feature_net", "--data", self.data, "--out", self.feature_net, *network],
                           check=True)

    def run(self, ranks, log, *command):
        """Runs ganscale; its output goes to a log in the folder."""
        launcher = []
        if ranks > 1:
            launcher = ["mpirun", "--bind-to", "none", "--oversubscribe", "-n", str(ranks)]
            launcher += ["--allow-run-as-root"] if os.getuid() == 0 else []
        words = [*launcher, str(self.programs / "ganscale"), *map(str, command)]
        with open(self.folder / f"{log}.log", "a") as output:
            output.write(f"$ {shlex.join(words)}\n")
            output.flush()
            environment = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
            status = subprocess.run(words, stdout=output, stderr=output, env=environment).returncode
        if status != 0:
            raise Failed(status, output.name)

    def program(self):
        """Returns what tells the program from others: the commit that it was built from; its hash where that has been changed."""
        version = subprocess.run([self.programs / "ganscale", "--version"], check=True, capture_output=True, text=True).stdout
        if commit := re.search(r"^commit +([0-9a-f]+)$", version, re.MULTILINE):
            return commit[1]
        return hashlib.sha256((self.programs / "ganscale").read_bytes()).hexdigest()

    def keep_plan(self, arguments, keys):
        """Writes what decides the results to plan.json: the program, and these arguments. Ends if the study has begun with others."""
        file = self.results / "plan.json"
        plan = {key: getattr(arguments, key) for key in ["source", "dataset", *keys]} | {"program": self.program()}
        if not file.exists():
            file.write_text(json.dumps(plan))
        begun = json.loads(file.read_text())
        if different := [key for key in plan if key in begun and begun[key] != plan[key]]:
            sys.exit(f"{file}: the study has begun with another {' and '.join(different)}: repeat that (for a program, name the folder "
                     f"where {begun['program']} was built with --build), or choose another folder")

    def train(self, name, settings, ranks=1, config=None):
        """Trains the run of this name, or resumes it."""
        words = [word for setting in [f"data.path={self.data}", *QUIET, *settings, *self.settings]
                 for word in ("--set", setting)]
        self.run(ranks, name, "train", *(["--config", config] if config else []), "--run", self.folder / name, *words)

    def kimg_in(self, seconds, variants, ranks, config=None):
        """Measures the rate of each variant in turn, once per study, which needs an idle machine. Returns the whole kimg in that time.

        variants: {name: settings}.
        """
        file = self.results / "rates.json"
        if not file.exists():
            await_idle()
            rates = {name: [] for name in variants}
            for turn in range(RATE_ROUNDS):
                for name, settings in variants.items():
                    rates[name].append(self.seconds_per_kimg(f"rate-{name}-{turn}", settings, ranks, config))
            file.write_text(json.dumps(rates))
        rates = {name: min(values) for name, values in json.loads(file.read_text()).items()}
        for name in variants:
            print(f"{name}: {rates[name]:.2f} s/kimg, {int(seconds / rates[name])} kimg in {seconds:g} s", flush=True)
        return {name: int(seconds / rates[name]) for name in variants}

    def seconds_per_kimg(self, run, settings, ranks, config):
        """Trains for a moment and returns the last tick's rate."""
        self.train(run, [*settings, f"training.total_kimg={RATE_KIMG}", f"training.tick_kimg={RATE_KIMG / 2}"], ranks, config)
        return self.last_tick(run)["s_per_kimg"]

    def last_tick(self, run):
        return json.loads((self.folder / run / "stats.jsonl").read_text().splitlines()[-1])

    def seconds_of(self, run):
        """Returns the seconds that a run has trained."""
        return self.last_tick(run)["seconds"]

    def evaluate(self, name, result, metrics=None):
        """Evaluates a run as it is now, once; `result` names the file of the numbers, which are returned."""
        file = self.results / f"{result}.json"
        if not file.exists():
            self.run(1, name, "evaluate", "--run", self.folder / name, "--metrics", ",".join(metrics or METRICS),
                     "--feature-net", self.feature_net, "--out", file)
        return json.loads(file.read_text())

    def shape(self):
        """Returns the numbers of records and of labels: the shape in the header of the labels, a NumPy file."""
        labels, = self.data.glob("*.labels")
        header = labels.read_bytes()[:128]
        return [int(number) for number in re.search(rb"'shape': \((\d+), (\d+)\)", header).groups()]

    def result(self, name):
        file = self.results / f"{name}.json"
        return json.loads(file.read_text()) if file.exists() else None

    def finish(self, runs, do, jobs, deadline):
        """Calls do(name, *arguments) for the runs without a result, so many at a time. Returns the names of those left at the deadline.

        runs: {name: arguments}.
        """
        def one(name):
            if self.result(name) is None and time.monotonic() < deadline:
                do(name, *runs[name])

        run_jobs([functools.partial(one, name) for name in runs], jobs)
        return [name for name in runs if self.result(name) is None]


def await_idle(seconds=300):
    """Returns once nothing else computes on this machine; ends the study if that takes too long."""
    deadline = time.monotonic() + seconds
    while os.getloadavg()[0] > IDLE:
        if time.monotonic() > deadline:
            sys.exit(f"the rates need an idle machine, but its load is {os.getloadavg()[0]:.1f}: end what else computes")
        time.sleep(5)


def run_jobs(jobs, workers):
    """Calls functions, so many at a time, in this order. If one raises an exception, no further one starts. Returns what they return."""
    failed = threading.Event()

    def call(job):
        if failed.is_set():
            return None
        try:
            return job()
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(workers) as pool:
        return [future.result() for future in [pool.submit(call, job) for job in jobs]]


def is_trial(arguments, planned):
    """Returns whether these are other settings than planned. planned: {name of an argument: value}."""
    return any(getattr(arguments, key) != value for key, value in planned.items())


def cell(values):
    """Returns the mean over seeds, and the deviation where there are several."""
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{spread}"


def print_table(corner, rows, columns=None):
    """rows: {title: results of the seeds}."""
    columns = columns or COLUMNS
    print(f"| {corner} | seeds | {' | '.join(columns)} |")
    print("|" + "---|" * (2 + len(columns)))
    for title, results in rows.items():
        cells = [cell([result[key] for result in results]) for key in columns.values()]
        print(f"| {title} | {len(results)} | {' | '.join(cells)} |", flush=True)
