"""What the study of one pair per label chooses, trains in which order, and decides."""
import argparse
import functools
import io
import json
import math
import pathlib
import struct
import sys
import tarfile
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from unittest import mock

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "benchmarks/quality")]
import different_classes as classes  # noqa: E402
import four_classes  # noqa: E402
import pair_per_label as pair  # noqa: E402

NAMES = ["airplane", "frog", "ship", "truck"]


def write_result(file, run, metrics):
    """Writes what `ganscale evaluate` writes, a little higher scores for the second seed."""
    score = {"pairs": 3, "conditional": 2, "dcgan": 1}.get(run.partition("-")[0], 0) + run.endswith("2") / 100
    result = {"labels": "data", "seconds": 5, "is4k": score, "fid4k": 1}
    if "by_label" in metrics:
        is_better = run.startswith("wasserstein")
        result |= {"fid4k_by_label": 1, "pr4k3_by_label_recall": 1, "pr4k3_by_label_precision": 1,
                   "fid4k_labels": [1, 2, 3, 4] if is_better else [5, 7, 9, 11], "pr4k3_recall_labels": [0.5 if is_better else 0.1] * 4}
    file.write_text(json.dumps(result))


class StandIn(four_classes.FourClasses):
    """A study whose programs only write what it reads of theirs. Notes run, kimg and budget of each training."""
    accuracy = 85
    trained = []

    def run(self, ranks, log, *command):
        options = dict(zip(command, command[1:]))
        verb = command[0]
        if verb == "data":
            options["--to"].mkdir()
            (options["--to"] / "x.tfrecords").touch()
            (options["--to"] / "x.labels").write_bytes(b"'shape': (20000, 4)")
        elif verb == "train":
            settings = dict(word.split("=", 1) for before, word in zip(command, command[1:]) if before == "--set")
            options["--run"].mkdir(exist_ok=True)
            (options["--run"] / "stats.jsonl").write_text('{"s_per_kimg": 9}\n{"s_per_kimg": 0.5}\n{"s_per_kimg": 1.5}\n')
            (options["--run"] / "labels.json").write_text(json.dumps([{"spent_seconds": 25, "images_seen": 1000}] * 4))
            self.trained.append((options["--run"].name, settings["training.total_kimg"], settings.get("budget.wall")))
        elif verb == "evaluate":
            write_result(options["--out"], options["--run"].name, options["--metrics"])
        else:
            options["--out"].touch()

    def classifier(self, epochs):
        return self.accuracy, 3.5

    def program(self):
        return "0123456789ab"


def write_tar(path, members):
    """members: {name: content}."""
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


class Classes(unittest.TestCase):
    def test_eta_squared_is_the_share_of_the_variance_between_classes(self):
        # 0, 2 and 4, 6: means of 1 and 5 around 3. The sums of squares are 4 * 4 between and 4 within.
        one, other = classes.sums_of({0: 1, 2: 1}), classes.sums_of({4: 1, 6: 1})
        self.assertAlmostEqual(classes.eta_squared([one, other]), 16 / 20)

    def test_of_the_largest_eta_squared_of_a_channel_are_chosen(self):
        def gray(value):
            return classes.sums_of({value: 1, value + 2: 1})
        sums = {0: [gray(0), gray(0)], 1: [gray(1), gray(50)], 2: [gray(9), gray(0)], 3: [gray(1), gray(1)]}
        self.assertEqual(classes.most_different(sums, 2)[0], [0, 1])

    def test_sums_are_of_each_channel(self):
        image = bytes([1] * classes.CHANNEL_BYTES + [2] * classes.CHANNEL_BYTES + [0] * classes.CHANNEL_BYTES)
        sums = classes.class_sums([image, image], [3, 3])
        self.assertEqual(sums, {3: [(2048, 2048, 2048), (2048, 4096, 8192), (2048, 0, 0)]})

    def test_images_are_read_from_tfrecords(self):
        images = [bytes([value]) * classes.IMAGE_BYTES for value in (7, 10)]  # 10 is the tag of a list's element, too
        before = b"\x0a\x9a\x18\x0a\x90\x18\x0a\x04data\x12\x86\x18\x0a\x83\x18\x0a\x80\x18"
        messages = [before + image + b"\x0a\x05shape" for image in images]
        content = b"".join(struct.pack("<Q", len(message)) + bytes(4) + message + bytes(4) for message in messages)
        self.assertEqual(list(classes.images_of(content)), images)

    def test_labels_are_the_places_of_ones(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"
        content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<6f", 0, 0, 1, 1, 0, 0)
        self.assertEqual(classes.labels_of(content), [2, 0])

    def test_are_taken_by_the_folder_of_their_images(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = (pathlib.Path(folder) / name for name in ("all.tar", "some.tar"))
            write_tar(source, {"train/ship/0.jpg": b"a", "train/cat/0.jpg": b"b", "train/frog/ship.jpg": b"c"})
            four_classes.take_classes(source, ["ship", "cat"], target)
            with tarfile.open(target) as taken:
                self.assertEqual({name: taken.extractfile(name).read() for name in taken.getnames()},
                                 {"train/ship/0.jpg": b"a", "train/cat/0.jpg": b"b"})

    def test_accuracy_and_score_are_read_from_what_feature_net_prints(self):
        self.assertEqual(four_classes.accuracy_and_score("84.05% of the 4000 test images right, their score 3.12 of 4\n"), (84.05, 3.12))


class Verdicts(unittest.TestCase):
    CLEAR = {"pairs": [3, 3.01, 3.02], "conditional": [2, 2.01, 2.02], "dcgan": [1, 1.01, 1.02]}

    def test_d_holds_in_the_order_of_the_paper(self):
        self.assertEqual(pair.verdict_on_d(self.CLEAR, real_score=3.9), "holds")

    def test_d_does_not_hold_if_one_difference_is_not_significant(self):
        for arm in ("pairs", "dcgan"):
            scores = self.CLEAR | {arm: self.CLEAR["conditional"]}
            self.assertEqual(pair.verdict_on_d(scores, real_score=3.9), "does not hold")

    def test_d_is_not_decided_by_two_arms_at_the_ceiling(self):
        self.assertEqual(pair.verdict_on_d(self.CLEAR, real_score=2.1), "is not decided")
        self.assertEqual(pair.verdict_on_d(self.CLEAR, real_score=3.1), "holds")  # only one is

    def test_w_holds_if_distances_fall_and_recall_rises(self):
        worse = [{pair.DISTANCES: [5, 6, 7, 8], pair.RECALLS: [0.1, 0.2, 0.3, 0.4]}] * 3
        better = [{pair.DISTANCES: [4, 5, 6, 7], pair.RECALLS: [0.2, 0.3, 0.4, 0.5]}] * 3
        self.assertEqual(pair.verdict_on_w(worse, better), "holds")
        self.assertEqual(pair.verdict_on_w(better, worse), "does not hold")
        mixed = [value | {pair.RECALLS: [0.1, 0.2, 0.3, 0.4]} for value in better]
        self.assertEqual(pair.verdict_on_w(worse, mixed), "does not hold")

    def test_value_of_a_run_is_the_mean_of_its_evaluations(self):
        results = [{"labels": "data", "is4k": 1, "fid4k_labels": [1, 2]}, {"labels": "data", "is4k": 2, "fid4k_labels": [3, 6]}]
        self.assertEqual(pair.mean_result(results), {"is4k": 1.5, "fid4k_labels": [2, 4]})

    def test_epochs_are_those_of_the_time(self):
        # 20 kimg an epoch; five arms at 1 s/kimg and one at 3: 160 s. 36 evaluations of 10 s.
        rates = {"dcgan": 1, "conditional": 1, "projection": 1, "wide": 3}
        self.assertEqual(pair.affordable_epochs(rates, evaluation_seconds=5, kimg_per_epoch=20, seconds=360 + 10.9 * 160), 10)


class Jobs(unittest.TestCase):
    def test_none_starts_after_one_that_fails(self):
        def fail():
            sys.exit("no")
        started = []
        with self.assertRaisesRegex(SystemExit, "no"):
            pair.run_jobs([fail, *[functools.partial(started.append, i) for i in range(100)]], 1)
        self.assertEqual(started, [])

    def test_return_what_they_return_in_their_order(self):
        def late():
            time.sleep(0.05)
            return 1
        self.assertEqual(pair.run_jobs([late, lambda: 2], 2), [1, 2])


class Flow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("train", "test"):
            write_tar(self.folder / f"{name}.tar", {f"{name}/{label}/0.jpg": b"" for label in NAMES})
        (self.folder / "bin").mkdir()
        for name in ("ganscale", "feature_net"):
            (self.folder / "bin" / name).touch(mode=0o755)
        StandIn.trained = []

    def run_study(self, *options):
        """Returns the lines that the study prints."""
        folder = str(self.folder)
        words = ["study", f"{folder}/study", "--build", folder, "--from", folder, "--classes", *NAMES, *options]
        with (mock.patch.object(sys, "argv", words), mock.patch.object(pair, "FourClasses", StandIn),
              redirect_stdout(io.StringIO()) as output):
            self.assertEqual(pair.main(), 0)
        return output.getvalue().splitlines()

    def trained_seeds(self):
        return [run for run, *_ in StandIn.trained if "seed" in run]

    def test_ends_with_a_verdict_and_images(self):
        lines = self.run_study("--seeds", "1", "2", "3")
        self.assertEqual(lines[-1], "verdict of a trial, not of the study as planned: D holds, W holds")
        self.assertEqual(sorted(file.stem for file in (self.folder / "study").glob("*.png")), sorted(pair.ARMS))
        self.assertIn("one pair per label: 25 s and 1 kimg a label", lines)
        again = self.run_study("--seeds", "1", "2", "3")
        self.assertEqual(again[-1], lines[-1])
        self.assertEqual(len(self.trained_seeds()), 3 * len(pair.ARMS) * len(pair.SHARES))  # none trains again

    def test_gives_w_gans_the_time_of_the_pairs(self):
        self.run_study("--seeds", "1", "2", "--epochs", "10")
        self.assertEqual([(kimg, wall) for run, kimg, wall in StandIn.trained if run == "wasserstein-seed2"],
                         [("1000000", f"{seconds:.3f}s") for seconds in (20, 40, 60, 80, 90, 100)])
        self.assertEqual([kimg for run, kimg, _ in StandIn.trained if run == "pairs-seed2"], ["40", "80", "120", "160", "180", "200"])

    def test_starts_nothing_after_the_deadline(self):
        lines = self.run_study("--minutes", "0")
        self.assertTrue(lines[-1].startswith("no verdict yet: 18 of 18 runs are left: dcgan-seed1, "))
        self.assertEqual(self.trained_seeds(), [])

    def test_ends_with_a_classifier_that_is_not_good_enough(self):
        with mock.patch.object(StandIn, "accuracy", 79.9), self.assertRaisesRegex(SystemExit, "fewer than 80% right"):
            self.run_study()

    def test_refuses_other_classes_in_the_same_folder(self):
        self.run_study("--minutes", "0")
        (self.folder / "study/classes.json").write_text(json.dumps(["bird", *NAMES[1:]]))
        with self.assertRaisesRegex(SystemExit, "other classes"):
            self.run_study()

    def test_refuses_another_plan_in_the_same_folder(self):
        self.run_study("--minutes", "0", "--epochs", "2")
        with self.assertRaisesRegex(SystemExit, "has begun with another epochs"):
            self.run_study("--minutes", "0")

    def test_is_the_study_as_planned_by_default(self):
        planned = argparse.Namespace(**pair.PLANNED, hours=math.inf)
        self.assertFalse(pair.is_trial(planned, pair.PLANNED))
        planned.seeds = [1, 2]
        self.assertTrue(pair.is_trial(planned, pair.PLANNED))


if __name__ == "__main__":
    unittest.main()
