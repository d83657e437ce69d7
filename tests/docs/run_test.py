"""Runs the blocks of the documentation that are marked run, from top to bottom, each document in a folder of its own."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from blocks import DOCUMENTS, PROJECT, blocks, make_workspace

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import WORKER  # noqa: E402

# Stands for ganscale: the same commands as a reader's, with less work behind them.
SHORTENED = f"""#!/bin/sh
case $1 in
  train) set -- "$@" --set training.total_kimg=0.064 --set training.tick_kimg=0.032 ;;
  project) set -- "$@" --steps 2 ;;
esac
exec {WORKER} "$@"
"""

# What a document takes for granted: a run, an image.
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
"""}

ENVIRONMENT = {
    # Tests run as root in containers, on any number of cores.
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_NUM_THREADS": "1"}


class Run(unittest.TestCase):
    def test_what_is_marked_run_runs(self):
        followed = 0
        for path in DOCUMENTS:
            name = str(path.relative_to(PROJECT))
            commands = [command for block in blocks(path) if block.mode == "run" for command in block.commands()]
            followed += len(commands)
            if commands:
                with self.subTest(name):
                    self.follow([BEFORE.get(name, ""), *commands])
        self.assertGreater(followed, 10)

    def follow(self, commands):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make_workspace(folder)
            (folder / "bin").mkdir()
            (folder / "bin/ganscale").write_text(SHORTENED)
            (folder / "bin/ganscale").chmod(0o755)
            result = subprocess.run(
                ["bash", "-xeuo", "pipefail", "-c", "\n".join(commands)], cwd=folder, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**os.environ, **ENVIRONMENT, "PATH": f"{folder}/bin:{os.environ['PATH']}"})
            self.assertEqual(result.returncode, 0, result.stdout[-4000:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
