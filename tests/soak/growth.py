"""Whether something grows while a program runs for a long time: slopes of its readings, with confidence intervals.

Slopes are of the second half, by the means of blocks, since readings close in time are alike."""
import argparse
import math
import os
import pathlib
import statistics

READ_EVERY_SECONDS = 2
BLOCKS = 20
T_QUANTILE = 2.101  # Student's distribution, 97.5%, BLOCKS - 2 degrees of freedom
LIMITS_PER_HOUR = {"memory MiB": 4.0, "file descriptors": 1.0, "threads": 1.0, "disk MiB": 4.0}
LEAST_MINUTES = math.ceil(6 * BLOCKS * READ_EVERY_SECONDS / 60)


def minutes(text):
    """Type of the option --minutes: no fewer than slopes take that mean something."""
    if float(text) < LEAST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text} minutes are too few for a slope: at least {LEAST_MINUTES}")
    return float(text)


def memory_mib(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def read_process(pid):
    return {"memory MiB": memory_mib(pid), "file descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": len(os.listdir(f"/proc/{pid}/task"))}


def slope(points):
    """Returns the slope by least squares and half of its 95% confidence interval, of the second half of (hours, value)."""
    points = points[len(points) // 2:]
    size = len(points) // BLOCKS
    blocks = [points[i * size:(i + 1) * size] for i in range(BLOCKS)]
    hours = [statistics.fmean(hour for hour, _ in block) for block in blocks]
    values = [statistics.fmean(value for _, value in block) for block in blocks]
    line = statistics.linear_regression(hours, values)
    residual = sum((value - line.slope * hour - line.intercept) ** 2 for hour, value in zip(hours, values)) / (BLOCKS - 2)
    spread = sum((hour - statistics.fmean(hours)) ** 2 for hour in hours)
    return line.slope, T_QUANTILE * math.sqrt(residual / spread)


def report(readings):
    """Prints a line for each of {"rank 0 memory MiB": [(hours, value), ...]}. Returns whether one grows."""
    grows = False
    for name, points in readings.items():
        change, half = slope(points)
        limit = next(limit for kind, limit in LIMITS_PER_HOUR.items() if name.endswith(kind))
        is_growing = change - half > limit
        grows |= is_growing
        print(f"  {name:24} {points[len(points) // 2][1]:9.1f} to {points[-1][1]:9.1f}, {change:+8.2f} ± {half:.2f} an hour"
              f"{'  GROWS' if is_growing else ''}")
    return grows
