"""The stage "train" of scripts/gpu-check.sh, with a program in place of ganscale."""
import json
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts/gpu_check"))
import trainings  # noqa: E402

# Its first start writes a checkpoint and waits to be killed; its second one resumes, and ends.
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys, time
run = pathlib.Path(sys.argv[sys.argv.index("--run") + 1])
is_resumed = (run / "stats.jsonl").exists()
(run / "checkpoints/kimg-1").mkdir(parents=True, exist_ok=True)
with open(run / "stats.jsonl", "a") as stats:
    stats.write(json.dumps({"s_per_kimg": 2.5, "loss": {"discriminator": LOSS}}) + "\\n")
if is_resumed:
    print(WORDS)
    sys.exit(CODE)
BEFORE
(run / "checkpoints/kimg-1/manifest.json").touch()
time.sleep(60)
"""


class Train(unittest.TestCase):
    def train(self, loss="1.5", words="Resuming", code=0, before="pass"):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        program = folder / "ganscale"
        program.write_text(PROGRAM.replace("LOSS", loss).replace("WORDS", repr(words)).replace("CODE", str(code))
                           .replace("BEFORE", before))
        program.chmod(0o755)
        trial = trainings.Trial(program, folder / "images.zip", steps=16)
        with open(folder / "log", "w+b") as log:
            return trainings.train(trial, ["model.name=dcgan"], folder / "run", log)

    def expect_wrong(self, told, **changes):
        with self.assertRaisesRegex(trainings.Wrong, told):
            self.train(**changes)

    def test_a_run_that_is_killed_and_resumes_has_the_figures_of_its_last_tick(self):
        figures = self.train()
        self.assertEqual((figures["s_per_kimg"], figures["loss"]), (2.5, {"discriminator": 1.5}))

    def test_a_run_that_ends_before_it_was_killed_is_wrong(self):
        self.expect_wrong("ended with 3 before it was killed", before="sys.exit(3)")

    def test_a_run_that_fails_after_it_was_resumed_is_wrong(self):
        self.expect_wrong("ended with 70 after it was resumed", code=70)

    def test_a_run_that_begins_again_is_wrong(self):
        self.expect_wrong("did not resume from its checkpoint", words="Training")

    def test_a_loss_that_is_not_finite_is_wrong(self):
        for loss in ("None", "float('nan')", "{'real': float('inf')}"):
            self.expect_wrong("has a loss that is not finite", loss=loss)

    def test_a_line_that_is_half_written_does_not_count(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "stats.jsonl").write_text(json.dumps({"tick": 1}) + "\n" + '{"tick": 2')
        self.assertEqual(trainings.ticks(folder), [{"tick": 1}])


class Command(unittest.TestCase):
    def test_ticks_and_checkpoints_come_several_times_in_a_run(self):
        command = trainings.Trial(pathlib.Path("ganscale"), pathlib.Path("i.zip"), 200).command([], pathlib.Path("run"))
        self.assertIn("--set=training.total_kimg=2.4", command)
        self.assertIn("--set=training.tick_kimg=0.3", command)
        self.assertIn("--set=checkpoint.every_kimg=0.6", command)


if __name__ == "__main__":
    unittest.main()
