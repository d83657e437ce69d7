"""The recipe of docs/tracking.md, and what Weights & Biases' own reader finds in the files that it leaves."""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

from tracking_python import PROJECT, use_tracking_python

use_tracking_python()
sys.path[:0] = [str(PROJECT / folder) for folder in ("python", "tests/docs", "tests/support")]
from blocks import python_of  # noqa: E402
from wandb.proto import wandb_internal_pb2  # noqa: E402
from wandb.sdk.internal.datastore import DataStore  # noqa: E402
from write_images import write_png  # noqa: E402

TICKS = [{"tick": 1, "images_seen": 1000, "loss": {"generator": 1.5, "discriminator": 0.25}},
         {"tick": 2, "images_seen": 2000, "loss": {"generator": 1.25, "discriminator": None}}]
EVALUATION = {"images_seen": 2000, "fid50k": 12.5}


def logged(file):
    """Returns what was logged at each step, by the client's reader: values by dotted names."""
    store = DataStore()
    store.open_for_scan(str(file))
    steps = {}
    while (data := store.scan_data()) is not None:
        record = wandb_internal_pb2.Record.FromString(data)
        if record.WhichOneof("record_type") == "history":
            values = {".".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
            steps[record.history.step.num] = values
    store.close()
    return steps


class Wandb(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        package = folder / "ganscale-0.dist-info/METADATA"  # as if it were installed
        package.parent.mkdir()
        package.write_text("Metadata-Version: 2.1\nName: ganscale\nVersion: 0\n")
        sys.path.append(str(folder))
        self.addCleanup(sys.path.remove, str(folder))
        run = folder / "runs/r1"
        (run / "samples").mkdir(parents=True)
        (run / "config.yaml").write_text("{}\n")
        (run / "stats.jsonl").write_text("".join(json.dumps(tick) + "\n" for tick in TICKS))
        (run / "metrics.jsonl").write_text(json.dumps(EVALUATION) + "\n")
        for kimg in (0, 2):
            write_png(run / f"samples/fakes-{kimg:06d}.png")

    def test_the_recipe_logs_numbers_and_images_by_images_seen(self):
        exec(python_of(PROJECT / "docs/tracking.md"), {})  # pylint: disable=exec-used
        file, = pathlib.Path().glob("wandb/offline-run-*/run-*.wandb")
        end = time.monotonic() + 100
        while len(steps := logged(file)) < 3 and time.monotonic() < end:  # another process of the client's writes
            time.sleep(0.1)
        self.assertEqual(sorted(steps), [0, 1000, 2000])
        self.assertEqual(steps[1000]["loss.generator"], 1.5)
        self.assertEqual(steps[2000]["loss.generator"], 1.25)
        self.assertEqual(steps[2000]["fid50k"], 12.5)
        for seen in (0, 2000):
            self.assertEqual(steps[seen]["fakes._type"], "image-file")
            image = file.parent / "files" / steps[seen]["fakes.path"]
            self.assertEqual(image.read_bytes()[1:4], b"PNG")


if __name__ == "__main__":
    unittest.main(verbosity=2)
