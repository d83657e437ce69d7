"""Real programs for tests: build-tools.sh builds them once."""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CANNOT = 77  # what ctest takes for "skipped"


def build_tools(*words):
    """Returns the folder of the named programs, as build-tools.sh takes them. Ends the test as skipped where there can't be
    any."""
    result = subprocess.run([HERE / "build-tools.sh", *words], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode == CANNOT:
        print("SKIPPED: this machine can't build the programs that the test needs; see above", file=sys.stderr)
        sys.exit(CANNOT)
    if result.returncode != 0:
        raise RuntimeError(f"build-tools.sh failed: {result.returncode}")
    return pathlib.Path(result.stdout.strip())
