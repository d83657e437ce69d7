"""Shared by the chart tests: Helm, and the objects that a chart renders."""
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
CHARTS = PROJECT / "helm"
VERSION = re.search(r"^project\(ganscale VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)[1]
VALUES = PROJECT / "tests" / "charts" / "values"
VALUE_SETS = sorted(path.stem for path in VALUES.glob("*.yaml"))

sys.path.insert(0, str(PROJECT / "tests" / "cluster"))
from build_tools import CANNOT, build_tools  # noqa: E402

try:
    import yaml
except ImportError:
    print("SKIPPED: Python's yaml is missing (package python3-yaml)", file=sys.stderr)
    sys.exit(CANNOT)


class Helm:
    def __init__(self, program, *options):
        self.command = [str(program), *map(str, options)]

    def __call__(self, *words, check=True):
        """Returns Helm's output, or with check=False the finished process."""
        result = subprocess.run([*self.command, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, check=False)
        if check and result.returncode != 0:
            raise AssertionError(f"helm {' '.join(map(str, words))}: {result.stderr}")
        return result.stdout if check else result

    def template(self, value_set, *words):
        """Returns the text that a chart renders with one of the value sets."""
        chart, release, namespace = where(value_set)
        return self("template", release, CHARTS / chart, "-n", namespace, "-f", VALUES / f"{value_set}.yaml", *words)


def where(value_set):
    """Returns chart, release and namespace of a value set."""
    if value_set.startswith("operator"):
        return "ganscale-operator", "ganscale", "ganscale-system"
    return "ganscale-training", "faces", "research"


def objects(text):
    """Returns the objects of a rendered text."""
    return [value for value in yaml.safe_load_all(text) if value]
