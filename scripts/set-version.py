#!/usr/bin/env python3
"""Carries the version of the project, which CMakeLists.txt has, to CITATION.cff, the charts, the images and what names them.

    scripts/set-version.py            writes it to every place below
    scripts/set-version.py --check    only says which is stale, with exit code 1

A release: change the version in CMakeLists.txt, run this, and renew the golden files (docs/testing.md).
"""
import re
import sys

from write_or_check import PROJECT, write_or_check

OF_IMAGES = r"\b(?:ganscale(?:-operator)?:|image\.tag=)(\d+\.\d+\.\d+)\b"
PLACES = [  # files, and what stands around a version in them
    ("CITATION.cff", r"^version: (.*)$"),
    ("helm/*/Chart.yaml", r"^(?:version|appVersion): (.*)$"),
    ("docker/*.Dockerfile", r"^ARG VERSION=(.*)$"),
    ("compose.yaml", OF_IMAGES),
    ("configs/sweeps/*.yaml", OF_IMAGES),
    ("operator-manifests/*/*.yaml", OF_IMAGES),
    ("docs/*.md", OF_IMAGES),
    ("scripts/chart-readme.py", OF_IMAGES),
    ("helm/*/README.md", OF_IMAGES),
]


def version():
    """Returns the version in CMakeLists.txt."""
    return re.search(r"^project\(ganscale VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)[1]


def with_version(text, pattern, wanted):
    """Returns a text with the version `wanted` wherever the pattern has its group."""
    def carried(match):
        start, end = (place - match.start() for place in match.span(1))
        return match[0][:start] + wanted + match[0][end:]
    return re.sub(pattern, carried, text, flags=re.M)


def main():
    texts = {}
    for files, pattern in PLACES:
        for path in sorted(PROJECT.glob(files)):
            texts[str(path.relative_to(PROJECT))] = with_version(path.read_text(), pattern, version())
    return write_or_check(texts)


if __name__ == "__main__":
    sys.exit(main())
