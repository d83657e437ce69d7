"""How the study of two and eight ranks decides, and which runs it trains."""
import contextlib
import io
import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "benchmarks/quality")]
import study  # noqa: E402
import two_and_eight_ranks as ranks  # noqa: E402

# Eight values whose standard deviation is 1, and four.
EIGHT = [value / math.sqrt(8 / 7) for value in (-1, 1, -1, 1, -1, 1, -1, 1)]
FOUR = [value / math.sqrt(4 / 3) for value in (-1, 1, -1, 1)]


def values(mean, deviation, shape=None):
    return [mean + deviation * value for value in shape or EIGHT]


class Verdict(unittest.TestCase):
    CONTROL = values(1, 0.05, FOUR)

    def test_is_equivalent_where_the_interval_of_90_percent_is_within_the_bounds(self):
        # The standard error is 0.1 / 2, with 14 degrees: 1.761 * 0.05 = 0.088 < log(1.1) = 0.0953.
        self.assertEqual(ranks.verdict_of(values(0, 0.1), values(0, 0.1), self.CONTROL), "equivalent within 10%")
        self.assertEqual(ranks.verdict_of(values(0, 0.1), values(0.007, 0.1), self.CONTROL), "equivalent within 10%")

    def test_is_open_where_the_interval_exceeds_a_bound_and_contains_zero(self):
        for mean in (0.008, -0.008, 0.1, -0.1):
            self.assertEqual(ranks.verdict_of(values(0, 0.1), values(mean, 0.1), self.CONTROL), "not shown to be equivalent")

    def test_is_different_where_only_the_difference_is_shown(self):
        # 2.145 * 0.05 = 0.107.
        for mean in (0.11, -0.11):
            self.assertEqual(ranks.verdict_of(values(0, 0.1), values(mean, 0.1), self.CONTROL), "different")

    def test_is_equivalent_where_a_difference_is_shown_to_be_small(self):
        self.assertEqual(ranks.verdict_of(values(0, 0.01), values(0.05, 0.01), self.CONTROL), "equivalent within 10%")

    def test_is_no_power_where_the_control_is_not_detected(self):
        for mean in (0, 1):
            self.assertEqual(ranks.verdict_of(values(0, 0.1), values(mean, 0.1), values(0, 0.1, FOUR)), "no power")

    def test_is_detected_where_control_runs_diverge_and_the_others_are_worse(self):
        for control in ([math.inf] * 4, [0.3, 0.3, 0.3, math.inf]):
            self.assertEqual(ranks.verdict_of(values(0, 0.1), values(0, 0.1), control), "equivalent within 10%")

    def test_is_no_power_where_a_single_control_run_diverges_and_the_others_are_no_worse(self):
        self.assertEqual(ranks.verdict_of(values(0, 0.1), values(0, 0.1), [0, 0, 0, math.inf]), "no power")

    def test_is_different_where_eight_ranks_alone_diverge(self):
        for diverged, verdict in ((8, "different"), (1, "not shown to be equivalent")):
            eight = [math.inf] * diverged + values(0, 0.1)[diverged:]
            self.assertEqual(ranks.verdict_of(values(0, 0.1), eight, self.CONTROL), verdict)

    def test_is_no_power_where_two_ranks_diverge_as_the_control_does(self):
        self.assertEqual(ranks.verdict_of([math.inf] * 8, values(0, 0.1), [math.inf] * 4), "no power")


class Seeds(unittest.TestCase):
    def test_are_more_where_they_deviate_more(self):
        self.assertEqual([ranks.seeds_for(deviation) for deviation in (0, 0.06, 0.061, 0.08, 0.081)], [8, 8, 13, 13, None])

    def test_deviate_within_their_arms(self):
        self.assertAlmostEqual(ranks.pooled_deviation(values(0, 0.03, FOUR), values(5, 0.04, FOUR)), math.sqrt((0.03**2 + 0.04**2) / 2))

    def test_deviate_without_those_that_diverged(self):
        self.assertAlmostEqual(ranks.pooled_deviation([*values(0, 0.03, FOUR), math.inf], [math.inf, 1]), 0.03)
        self.assertEqual(ranks.pooled_deviation([math.inf, 1], [math.inf] * 2), math.inf)

    def test_deviate_at_least_as_those_that_are_complete(self):
        self.assertEqual(ranks.least_deviation([], [1]), 0)
        self.assertAlmostEqual(ranks.least_deviation([0, 0.2, math.inf], [5]), math.sqrt(0.02 / 6))
        all_four = values(0, 0.03, FOUR), values(5, 0.04, FOUR)
        self.assertAlmostEqual(ranks.least_deviation(*all_four), ranks.pooled_deviation(*all_four))

    def test_of_thirteen_share_no_seed_of_a_rank(self):
        arms = [(ranks.ARMS[title], seed) for title, seed in ranks.runs_of(range(1, 14))]
        seeds = [ranks.rank_0_seed(arm, seed) + rank for arm, seed in arms for rank in range(arm.ranks)]
        self.assertEqual(len(seeds), len(set(seeds)))


class Number(unittest.TestCase):
    def test_is_the_mean_of_the_logarithms_after_two_thirds(self):
        curve = {20: 1000, 100: 1000, 110: math.exp(1), 150: math.exp(2)}
        self.assertAlmostEqual(ranks.mean_log_distance(curve, 150), 1.5)

    def test_needs_the_same_evaluations_of_the_last_third_in_all_runs(self):
        whole = {10: 1, 20: 1, 30: 1}
        self.assertIsNone(ranks.missing_evaluation({"a": whole, "b": {30: 1}}, 30))
        self.assertEqual(ranks.missing_evaluation({"a": whole, "b": {10: 1, 20: 1}}, 30), ("b", 30))

    def test_is_infinite_for_a_run_that_diverged_and_needs_no_other_evaluation(self):
        diverged = {10: 1, 150: math.inf}
        self.assertEqual(ranks.mean_log_distance(diverged, 150), math.inf)
        self.assertIsNone(ranks.missing_evaluation({"a": {140: 1, 150: 1}, "b": diverged}, 150))


class Runs(unittest.TestCase):
    def test_are_eight_of_two_ranks_eight_of_eight_and_four_of_the_control(self):
        titles = [title for title, _ in ranks.runs_of(range(1, 9))]
        self.assertEqual([titles.count(title) for title in (ranks.TWO, ranks.EIGHT, ranks.CONTROL)], [8, 8, 4])
        self.assertEqual(titles[:4], [ranks.TWO, ranks.EIGHT, ranks.CONTROL, ranks.TWO])

    def test_differ_by_the_rates_alone_between_control_and_two_ranks(self):
        two, control = (ranks.settings_of(ranks.ARMS[title]._replace(first_seed=0), 1) for title in (ranks.TWO, ranks.CONTROL))
        self.assertEqual([pair for pair in zip(two, control) if pair[0] != pair[1]],
                         [(f"{network}.optimizer.learning_rate=0.0025", f"{network}.optimizer.learning_rate=0.005")
                          for network in ("generator", "discriminator")])

    def test_are_the_same_but_for_the_seed_on_two_and_eight_ranks(self):
        two, eight = (ranks.settings_of(ranks.ARMS[title], 1) for title in (ranks.TWO, ranks.EIGHT))
        self.assertEqual([pair for pair in zip(two, eight) if pair[0] != pair[1]], [("training.seed=1000", "training.seed=1100")])


class FakeStudy:
    """Writes the evaluations of a run instead of training it. failing: {arm: the message with which its runs fail}."""
    feature_net = "features.pt"

    def __init__(self, folder):
        self.folder, self.results = folder / "runs", folder / "results"
        self.folder.mkdir()
        self.results.mkdir(exist_ok=True)
        self.trained, self.commands, self.deviation, self.failing = [], [], 0.01, {}

    def keep_plan(self, _arguments, _keys):
        """Is tested with the study of pairs."""

    def run(self, _ranks, name, command, *_words):
        self.commands.append((name, command))

    def train(self, name, _settings, ranks, _config):
        self.trained.append((name, ranks))
        if message := self.failing.get(name.partition("-")[0]):
            log = self.folder / f"{name}.log"
            log.write_text(message)
            raise study.Failed(78, log)
        distance = 2 if name.startswith("doubled") else 1 + self.deviation * (int(name[-1]) % 2)
        lines = [{"kimg": kimg, "training_seconds": 3 * kimg + 20, "seconds": 1, "fid5k": distance} for kimg in (10, 20, 30)]
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.study = FakeStudy(pathlib.Path(folder.name))

    def run_with(self, *words):
        """Returns the exit code and what is printed."""
        with unittest.mock.patch.object(sys, "argv", ["study", str(self.study.folder), *words]), \
                unittest.mock.patch.object(ranks, "Study", lambda _arguments: self.study), \
                contextlib.redirect_stdout(io.StringIO()) as output:
            code = ranks.main()
        return code, output.getvalue()

    def test_trains_the_runs_and_ends_with_the_verdict(self):
        code, printed = self.run_with("--kimg", "30")
        self.assertEqual((code, len(self.study.trained)), (0, 20))
        self.assertEqual(printed.splitlines()[-1], "verdict of a trial, not of the study as planned: equivalent within 10%")
        self.assertIn("| 2 ranks, doubled rates | 4 | 2.000 | 0.0% | 2.000, 2.000, 2.000, 2.000 |", printed)
        self.assertTrue((self.study.results / "curves.svg").exists())

    def test_ends_with_the_verdict_where_runs_diverge(self):
        self.study.failing = {"doubled": "training diverged; lower the learning rates"}
        code, printed = self.run_with("--kimg", "30")
        self.assertEqual((code, len(self.study.trained)), (0, 20))
        self.assertIn("doubled-seed1: diverged", printed)
        self.assertIn("| 2 ranks, doubled rates | 4 | none | none | inf, inf, inf, inf |", printed)
        self.assertIn("2 ranks, doubled rates / 2 ranks: a run diverged; p of a difference, by ranks, 0.0040", printed)
        self.assertEqual(printed.splitlines()[-1], "verdict of a trial, not of the study as planned: equivalent within 10%")
        self.study.trained.clear()
        self.assertEqual(self.run_with("--kimg", "30")[1].splitlines()[-1], printed.splitlines()[-1])
        self.assertEqual(self.study.trained, [], "what diverged trains again")

    def test_ends_where_all_runs_of_both_arms_diverge(self):
        self.study.failing = dict.fromkeys(("ranks2", "ranks8"), "the generator returned NaN or infinity for an image: number 7")
        code, printed = self.run_with("--kimg", "30")
        self.assertEqual((code, len(self.study.trained)), (0, 12))
        self.assertEqual(printed.splitlines()[-1], "verdict of a trial, not of the study as planned: no power")

    def test_ends_without_a_verdict_where_a_run_fails_otherwise(self):
        self.study.failing = {"ranks8": "no space left on device"}
        with self.assertRaisesRegex(study.Failed, "ranks8-seed1.log"):
            self.run_with("--kimg", "30")

    def test_starts_no_run_when_the_time_is_over_and_prints_what_is_left(self):
        code, printed = self.run_with("--kimg", "30", "--minutes", "0")
        self.assertEqual((code, self.study.trained), (0, []))
        self.assertIn("no verdict yet: 12 of 12 runs are left: ranks2-seed1, ranks8-seed1, doubled-seed1, ranks2-seed2", printed)

    def test_ends_where_the_first_seeds_deviate_too_much_whatever_the_others_give(self):
        # Of log(1.2) and log(1.15), 7 and 11 runs have squares of which even 6 degrees of freedom make more than 8%.
        for deviation, count in ((0.2, 7), (0.15, 11)):
            self.setUp()
            self.study.deviation = deviation
            code, printed = self.run_with("--kimg", "30")
            self.assertEqual((code, len(self.study.trained)), (0, count))
            self.assertIn("no number of seeds are enough\n| arm |", printed)
            self.assertEqual(printed.splitlines()[-1], "verdict of a trial, not of the study as planned: no power")
            self.assertTrue((self.study.results / "curves.svg").exists())

    def test_ends_where_all_runs_diverge(self):
        self.study.failing = dict.fromkeys(("ranks2", "ranks8", "doubled"), "training diverged; lower the learning rates")
        code, printed = self.run_with("--kimg", "30")
        self.assertEqual((code, len(self.study.trained)), (0, 12))
        self.assertIn("verdict", printed.splitlines()[-1])

    def test_evaluates_a_checkpoint_that_was_interrupted_before_its_evaluation(self):
        (self.study.folder / "ranks2-seed1/checkpoints/kimg-000010").mkdir(parents=True)
        self.run_with("--kimg", "30")
        self.assertEqual([command[:2] for command in self.study.commands], [("ranks2-seed1", "evaluate")])

    def test_trains_no_complete_run_again(self):
        self.run_with("--kimg", "30")
        before = list(self.study.trained)
        code, printed = self.run_with("--kimg", "30", "--minutes", "0")
        self.assertEqual((code, self.study.trained), (0, before))
        self.assertIn("verdict", printed.splitlines()[-1])

    def test_goes_on_on_another_machine_from_the_results(self):
        self.run_with("--kimg", "30")
        shutil.rmtree(self.study.folder)
        (self.study.results / "ranks8-seed3.jsonl").unlink()
        self.study.__init__(self.study.results.parent)
        _, printed = self.run_with("--kimg", "30")
        self.assertEqual(self.study.trained, [("ranks8-seed3", 8)])
        self.assertIn("verdict", printed.splitlines()[-1])

    def test_estimates_from_the_rates_of_two_and_eight_ranks(self):
        # 3 s/kimg from one evaluation to the next, for 20 runs of 150 kimg.
        _, printed = self.run_with("--estimate")
        self.assertEqual(self.study.trained, [("estimate-ranks2", 2), ("estimate-ranks8", 8)])
        self.assertIn("20 runs: 2.5 hours", printed)


class PlannedStudy(unittest.TestCase):
    def test_has_no_trial_in_its_verdict(self):
        numbers = {title: values(mean, 0.01, shape) for title, mean, shape in
                   ((ranks.TWO, 0, EIGHT), (ranks.EIGHT, 0, EIGHT), (ranks.CONTROL, 1, FOUR))}
        with unittest.mock.patch.object(sys, "argv", ["study", "folder"]), contextlib.redirect_stdout(io.StringIO()) as output:
            ranks.print_result(numbers, ranks.parsed())
        self.assertEqual(output.getvalue().splitlines()[-1], "verdict: equivalent within 10%")

    def test_is_that_of_the_defaults(self):
        with unittest.mock.patch.object(sys, "argv", ["study", "folder"]):
            arguments = ranks.parsed()
        self.assertFalse(ranks.is_trial(arguments, ranks.PLANNED))


if __name__ == "__main__":
    unittest.main()
