#!/usr/bin/env python3
"""Compares the loader on a dataset in S3 with the same dataset in the file system, and repeats bench_congestion over S3.

    benchmarks/loader/from_s3.py [--build build/release] [--rounds 3] [--congestion]

A real S3 server runs on this machine (tests/integration/s3/s3_server.py). Eight reader threads, 20,000 letters of 64 x 64 pixels: once
the node's cache has them, the rate is at least 90% of the file system's. With --congestion, a proxy before the server delays requests,
those in the last 30% of each period 20 times as long, and the claims of bench_congestion must hold, by which the script ends.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration/s3"))
from s3_server import CREDENTIALS, FaultyProxy, S3Server  # noqa: E402

SIDE, THREADS, EPOCHS = 64, 8, 3
RATIO_NEEDED = 0.9
# Of bench_congestion: loaders, periods each, seconds of a period, the congested share of it, what a read takes, and how many times that.
PERIODS, PERIOD, SHARE, LATENCY, FACTOR = 3, 20, 0.3, 0.015, 20


def rate(build, path, environment, *options):
    words = [build / "bin/bench_loader", path, "--resolution", SIDE, "--epochs", EPOCHS, "--reader-threads", THREADS, *options]
    output = subprocess.run(list(map(str, words)), env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(output)["images_per_second"]


def compare(arguments, local, remote, folder, environment):
    """Returns whether the cache's rate is close enough to the file system's."""
    sides = {"file system": (local,), "S3, cached": (remote, "--cache", folder / "cache"), "S3": (remote,)}
    rates = {side: [] for side in sides}
    for _ in range(arguments.rounds):
        for side, (path, *options) in sides.items():
            rates[side].append(rate(arguments.build, path, environment, *options))
    print("| storage | images/s |\n|---|---|")
    for side, values in rates.items():
        print(f"| {side} | {statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f}) |")
    ratio = statistics.median(cached / plain for cached, plain in zip(rates["S3, cached"], rates["file system"]))
    print(f"From the cache {ratio:.0%} of the file system's rate (needed: {RATIO_NEEDED:.0%})", flush=True)
    return ratio >= RATIO_NEEDED


class Congestion:
    """What requests wait for, by the time since the start: the first of the three loaders sees no congestion."""

    def __init__(self):
        self.start = time.time() + 10

    def seconds(self):
        now = time.time() - self.start
        congested = now >= PERIODS * PERIOD and now % PERIOD >= PERIOD * (1 - SHARE)
        return LATENCY * (FACTOR if congested else 1)


def congest(arguments, remote, server, environment):
    """Returns whether the claims of bench_congestion hold."""
    congestion = Congestion()
    with FaultyProxy(server.port, delay=congestion.seconds) as proxy:
        environment = {**environment, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"}
        words = [arguments.build / "bin/bench_congestion", "--path", remote, "--start", congestion.start, "--period", PERIOD, "--periods",
                 PERIODS, "--share", SHARE, "--latency", 1000 * LATENCY, "--factor", FACTOR, *arguments.options]
        return subprocess.run(list(map(str, words)), env=environment, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--congestion", action="store_true", help="also three minutes of bench_congestion")
    parser.add_argument("options", nargs="*", help="more options of bench_congestion, after --")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        bucket = folder / "served/letters"
        bucket.mkdir(parents=True)
        subprocess.run([arguments.build / "bin/ganscale", "data", "convert", "--from-typefaces", "--to", bucket / "data", "--resolution",
                        str(SIDE), "--channels", "rgb"], check=True)
        with S3Server(folder / "served") as server:
            environment = {**os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}"}
            holds = compare(arguments, bucket / "data", "s3://letters/data", folder, environment)
            if arguments.congestion:
                holds &= congest(arguments, "s3://letters/data", server, environment)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
