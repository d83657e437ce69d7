"""A training whose storage fails: at one call of each name in each way that it may, or, with GANSCALE_THOROUGH=1, at each
call. It ends with the right exit code or goes on; nothing incomplete is taken for whole; and it resumes to the weights of
an undisturbed training. STORAGE_FAULTS_ONLY="write 2 run/stats.jsonl" injects only the faults whose names contain that.
A conversion whose files do not reach the disk leaves no dataset. New folders reach it as well."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from faulty_run import EXTENT, PROJECT, RECORDS, WORKER, Fault, run_with_fault
from sweep import REASONS, WRONG_DATA, Sweep, every_fault, one_of_each, prepare

sys.path.insert(0, str(PROJECT / "tests/support"))
from thorough import thorough  # noqa: E402
from write_images import write_idx  # noqa: E402

SHARE_TO_REACH = 0.95  # how many calls come depends a little on how far ahead the loader reads
ONLY = os.environ.get("STORAGE_FAULTS_ONLY")
WORKERS = thorough(os.cpu_count(), 2)


class StorageFaults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.inputs, self.half_done = prepare(self.folder)

    def sweep(self, name, start_from, choose):
        sweep = Sweep(self.folder / name, start_from)
        faults = [fault for fault in every_fault(sweep.calls) if ONLY in str(fault)] if ONLY else choose(sweep.calls)
        reached = set()
        for fault, ended, found in sweep.run(faults, WORKERS):
            if ended.hit:
                reached.add(fault.call)
            with self.subTest(str(fault)):
                self.assertEqual(found, [], ended.output)
        share = len(reached) / len({fault.call for fault in faults})
        print(f"{name}: {len(faults)} faults, {len(reached)} of {len(sweep.calls)} calls ({share:.1%} of those aimed at)")
        self.assertGreaterEqual(share, SHARE_TO_REACH)

    def test_of_a_running_training_end_it_in_order_or_not_at_all(self):
        self.sweep("resumed", self.half_done, thorough(every_fault, one_of_each))

    @unittest.skipIf(thorough(False, True), "GANSCALE_THOROUGH=1 is not set")
    def test_of_a_training_that_begins_end_it_in_order_or_not_at_all(self):
        self.sweep("begun", self.inputs, every_fault)


class ConversionFaults(unittest.TestCase):
    def test_of_files_that_do_not_reach_the_disk_leave_no_dataset(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_idx(folder / "data", RECORDS, EXTENT, labels=2)
        command = [WORKER, "data", "convert", "--from", "data", "--to", "out", "--resolution", str(EXTENT)]
        flushes = [call for call in run_with_fault(command, folder, ["out"]).calls if call.startswith("fsync ") and ".partial-" in call]
        self.assertEqual(len(flushes), 2, flushes)  # of the records and the labels
        for call in flushes:
            shutil.rmtree(folder / "out")
            with self.subTest(call):
                ended = run_with_fault(command, folder, ["out"], Fault(call, "EIO"))
                self.assertEqual(ended.code, WRONG_DATA, ended.output)
                self.assertIn(REASONS["EIO"], ended.output)
                self.assertEqual(os.listdir(folder / "out"), [])


class NewFolders(unittest.TestCase):
    """A power failure must not take a file that was synced with the folder that it is in."""
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_idx(self.folder / "data", RECORDS, EXTENT, labels=2)

    def expect_synced(self, command, folders):
        ended = run_with_fault(command, self.folder, ["new"])
        self.assertEqual(ended.code, 0, ended.output)
        synced = {call.split(" ")[2] for call in ended.calls if call.startswith("fsync ")}
        self.assertEqual(set(folders) - synced, set(), synced)

    def test_of_a_conversion_reach_the_disk(self):
        self.expect_synced([WORKER, "data", "convert", "--from", "data", "--to", "new/of/all", "--resolution", str(EXTENT)],
                           ["new", "new/of", "new/of/all"])

    def test_of_a_run_reach_the_disk(self):
        settings = ["scheme.name=per_label", "model.name=dcgan", f"model.resolution={EXTENT}", "model.channels=0.125", "training.batch=8",
                    "training.total_kimg=0.016", "training.samples_every_kimg=0", "training.threads=1", "training.grid_rows=1",
                    "training.grid_columns=2", "telemetry.metrics_port=-1", "telemetry.control_port=-1"]
        labels = [f"new/of/run/labels/label-000{label}" for label in range(2)]
        self.expect_synced([WORKER, "train", "--data", "data", "--run", "new/of/run", *(f"--set={setting}" for setting in settings)],
                           ["new", "new/of", "new/of/run", "new/of/run/labels", *labels, *(f"{label}/checkpoints" for label in labels)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
