"""Runs Prometheus's own checks."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest


def promtool(*words, **files):
    """Runs promtool in a folder of these files, NAME=text; returns its output if something is wrong, otherwise nothing."""
    if not shutil.which("promtool"):
        raise unittest.SkipTest("promtool is missing (package prometheus)")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / f"{name}.yaml").write_text(text)
        result = subprocess.run(["promtool", *words], cwd=folder, text=True, check=False, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
    return result.stdout if result.returncode else ""
