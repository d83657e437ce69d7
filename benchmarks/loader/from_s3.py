#!/usr/bin/env python3
"""Compares the loader on a dataset in S3 with the same dataset in the file system, and repeats bench_congestion over S3.

    benchmarks/loader/from_s3.py [--build build/release] [--rounds 3] [--congestion]

A real S3 server runs on this machine (tests/integration/s3/s3_server.py). Eight reader threads read images of 64 x 64 pixels: once the
node's cache has a zip of PNGs, the rate is at least 90% of the file system's. The same for TFRecord, where there is nothing to decode, is
only printed. With --congestion, a proxy before the server delays requests,
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
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/integration/s3"), str(ROOT / "tests/support")]
from s3_server import CREDENTIALS, FaultyProxy, S3Server  # noqa: E402
from write_images import write_png  # noqa: E402

IMAGES, SIDE, THREADS, EPOCHS = 10_000, 64, 8, 3
RATIO_NEEDED = 0.9
# Of bench_congestion: loaders, periods each, seconds of a period, the congested share of it, what a read takes, and how many times that.
PERIODS, PERIOD, SHARE, LATENCY, FACTOR = 3, 20, 0.3, 0.015, 20
STEP = 0.25  # seconds, in which two threads read a batch of 16


def write_photos(folder, file):
    """Writes a zip of stored PNGs, as stylegan2-ada's tool does."""
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(IMAGES):
            write_png(folder / "photo.png", SIDE)
            archive.write(folder / "photo.png", f"{number:05}.png")


def rate(build, path, environment, *options):
    words = [build / "bin/bench_loader", path, "--resolution", SIDE, "--epochs", EPOCHS, "--reader-threads", THREADS, *options]
    output = subprocess.run(list(map(str, words)), env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(output)["images_per_second"]


def compare(arguments, local, remote, folder, environment):
    """Returns the rate from the cache relative to the file system's."""
    sides = {"file system": (local,), "S3, cached": (remote, "--cache", folder / "cache"), "S3": (remote,)}
    rates = {side: [] for side in sides}
    for _ in range(arguments.rounds):
        for side, (path, *options) in sides.items():
            rates[side].append(rate(arguments.build, path, environment, *options))
    print(f"| {local.name} | images/s |\n|---|---|")
    for side, values in rates.items():
        print(f"| {side} | {statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f}) |")
    ratio = statistics.median(cached / plain for cached, plain in zip(rates["S3, cached"], rates["file system"]))
    print(f"From the cache {ratio:.0%} of the file system's rate", flush=True)
    return ratio


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
                 PERIODS, "--share", SHARE, "--latency", 1000 * LATENCY, "--factor", FACTOR, "--step", 1000 * STEP, *arguments.options]
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
        bucket = folder / "served/images"
        bucket.mkdir(parents=True)
        write_photos(folder, bucket / "photos.zip")
        subprocess.run([arguments.build / "bin/ganscale", "data", "convert", "--from", bucket / "photos.zip", "--to", bucket / "records",
                        "--resolution", str(SIDE)], check=True)
        with S3Server(folder / "served") as server:
            environment = {**os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}"}
            compare(arguments, bucket / "records", "s3://images/records", folder, environment)
            holds = compare(arguments, bucket / "photos.zip", "s3://images/photos.zip", folder, environment) >= RATIO_NEEDED
            print(f"Needed of the zip: {RATIO_NEEDED:.0%}: {'yes' if holds else 'NO'}", flush=True)
            if arguments.congestion:
                holds &= congest(arguments, "s3://images/records", server, environment)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
