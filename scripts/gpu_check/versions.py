"""The stage "versions" of scripts/gpu-check.sh: what this machine and the build are, for readers of the figures.

    python3 scripts/gpu_check/versions.py BUILD

Ends with 1 if ganscale does not start.
"""
import pathlib
import shutil
import subprocess
import sys


def run(build):
    if shutil.which("nvidia-smi"):
        subprocess.run(["nvidia-smi"], check=False)
    return subprocess.run([build / "bin/ganscale", "--version"], check=False).returncode and 1


if __name__ == "__main__":
    try:
        sys.exit(run(pathlib.Path(sys.argv[1])))
    except OSError as error:
        sys.exit(f"cannot run it: {error}")
