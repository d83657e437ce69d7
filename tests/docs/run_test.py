"""Runs the blocks of the documentation that are marked run, from top to bottom, each document in a folder of its own; then its
Python, as one script."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from blocks import DOCUMENTS, PROJECT, blocks, make_workspace, python_of

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import OPERATOR, WORKER  # noqa: E402

# Stands for ganscale: the same commands as a reader's, with less work behind them.
SHORTENED = f"""#!/bin/sh
case "$*" in
  *emoji64-stylegan2*) set -- "$@" --set model.channel_max=16 ;;
esac
case $1 in
  train | launch) set -- "$@" --set training.total_kimg=0.064 --set training.tick_kimg=0.032 ;;
  project) set -- "$@" --steps 2 ;;
esac
exec {WORKER} "$@"
"""

# What a document takes for granted: a run, an image, an installed package.
BEFORE = {"docs/generate.md": """
ganscale data convert --from photos --to data --resolution 32
ganscale train --set model.name=stylegan2 --set model.preset=small --set model.conditional=true --set model.resolution=32 \\
  --set model.channel_max=16 --set data.path=data --set training.batch=8 --set training.samples_every_kimg=1 \\
  --set telemetry.metrics_port=-1 --set telemetry.control_port=-1 --run runs/faces
cp photos/cats/00.png me.png
""", "docs/tutorial-one-machine.md": """
python3 - <<'EOF'
import gzip, os, pathlib
folder = pathlib.Path("mnist")
folder.mkdir()
count = 640
with gzip.open(folder / "train-images-idx3-ubyte.gz", "wb") as file:
    file.write(b"".join(word.to_bytes(4, "big") for word in [0x803, count, 28, 28]) + os.urandom(count * 28 * 28))
with gzip.open(folder / "train-labels-idx1-ubyte.gz", "wb") as file:
    file.write(b"".join(word.to_bytes(4, "big") for word in [0x801, count]) + bytes(i % 10 for i in range(count)))
EOF
""", "docs/python.md": f"""
PATH="$(scripts/python-folder.sh wheel)/bin:$PATH" /usr/bin/python3 scripts/make-wheel.py {pathlib.Path(WORKER).parent.parent} wheel
python3 -m pip install --quiet --no-deps --no-index --disable-pip-version-check --target packages wheel/*.whl
"""}

# What must hold after the Python of a document.
AFTER = {"docs/generate.md": """
import onnxruntime
session = onnxruntime.InferenceSession("generator.onnx")
z, labels = z[:3], labels[:3]  # another number of images than it was exported with
[from_onnx] = session.run(["images"], {"z": z.numpy(), "labels": labels.numpy()})
error = (generator(z, labels) - torch.from_numpy(from_onnx)).abs().max().item()
assert from_onnx.shape == (3, 3, 32, 32) and error < 1e-4, (from_onnx.shape, error)
""", "docs/python.md": """
assert images.shape == (16, 3, 32, 32) and (images[3] - same[0]).abs().max() < 1e-5 and z.grad.abs().max() > 0
"""}
NEEDED = ["torch", "onnx", "onnxruntime"]  # by the Python of all documents

ENVIRONMENT = {
    # Tests run as root in containers, on any number of cores.
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_NUM_THREADS": "1"}


def execute(folder, command):
    docs = subprocess.run([PROJECT / "scripts/python-folder.sh", "docs"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    packages = ":".join(map(str, [folder / "packages", *pathlib.Path(docs).glob("lib/python3*/site-packages")]))
    return subprocess.run(command, cwd=folder, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **ENVIRONMENT, "PATH": f"{folder}/bin:{os.environ['PATH']}", "PYTHONPATH": packages})


class Run(unittest.TestCase):
    def test_what_is_marked_run_runs(self):
        followed = 0
        for path in DOCUMENTS:
            name = str(path.relative_to(PROJECT))
            commands = [command for block in blocks(path) if block.mode == "run" for command in block.commands()]
            followed += len(commands)
            if commands:
                with self.subTest(name):
                    self.follow([BEFORE.get(name, ""), *commands], python_of(path) + AFTER.get(name, ""))
        self.assertGreater(followed, 10)

    def test_the_first_commands_of_the_help_run(self):
        manual = subprocess.run([WORKER, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
        commands = [line for line in manual.partition("\nUsage:")[0].splitlines() if line.startswith("  ")]
        self.assertGreater(len(commands), 2)
        self.follow(commands, "")

    def follow(self, commands, script):
        """Runs commands, then a Python script if there is one; without the packages for it skips the rest of the subtest."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make_workspace(folder)
            (folder / "bin").mkdir()
            (folder / "bin/ganscale").write_text(SHORTENED)
            (folder / "bin/ganscale").chmod(0o755)
            (folder / "bin/ganscale-operator").symlink_to(OPERATOR)
            self.run_in(folder, ["bash", "-xeuo", "pipefail", "-c", "\n".join(commands)])
            if not script:
                return
            if missing := [name for name in NEEDED if execute(folder, ["python3", "-c", f"import {name}"]).returncode != 0]:
                self.skipTest(f"python3 on the PATH has no {', '.join(missing)}: scripts/setup.sh test installs them")
            self.run_in(folder, ["python3", "-c", script])

    def run_in(self, folder, command):
        result = execute(folder, command)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
