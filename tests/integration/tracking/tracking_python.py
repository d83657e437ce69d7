"""The Python of `scripts/setup.sh tracking`, in which these tests run."""
import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77


def use_tracking_python():
    """Starts the program again in that environment, or ends it with SKIPPED if it has not been made."""
    folder = pathlib.Path(subprocess.run([PROJECT / "scripts/python-folder.sh", "tracking"], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout.strip())
    if pathlib.Path(sys.prefix) == folder:
        return
    if not (folder / ".tier-tracking").exists():
        print("Skipped: there is no MLflow, wandb and webdataset; run scripts/setup.sh tracking")
        sys.exit(SKIPPED)
    python = folder / "bin/python"
    os.execv(python, [python, *sys.argv])
