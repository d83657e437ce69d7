"""What the studies of quality, and the comparisons with PyTorch, make of their numbers."""
import argparse
import io
import math
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.dom.minidom
from contextlib import redirect_stdout

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / folder) for folder in ("benchmarks/quality", "benchmarks/timing")]
import biggan_pairing as pairing  # noqa: E402
import curves  # noqa: E402
import one_and_four_ranks as ranks  # noqa: E402
import study  # noqa: E402
import three_models as three  # noqa: E402
import timing  # noqa: E402


def quiet(function, *arguments):
    """Returns what a function returns, and what it printed."""
    with redirect_stdout(io.StringIO()) as output:
        result = function(*arguments)
    return result, output.getvalue()


class Curves(unittest.TestCase):
    def test_interval_is_that_of_welch(self):
        # Variances 1 and 4 of three values each: 5/3 is the variance of the difference, with (5/3)^2 / ((1/9 + 16/9) / 2) = 2.94
        # degrees of freedom, of which two are whole.
        self.assertAlmostEqual(ranks.half_width([1, 2, 3], [2, 4, 6]), 4.303 * (5 / 3) ** 0.5, places=3)

    def test_differ_by_zero_where_the_difference_is_within_its_interval(self):
        by_ranks = {1: [{5: 10, 10: 8}, {5: 12, 10: 8.1}], 4: [{5: 11, 10: 4}, {5: 13, 10: 4.1}]}
        share, printed = quiet(ranks.compare, by_ranks)
        self.assertEqual(share, 0.5)
        self.assertIn("| 5 | 11.000 | 12.000 | +1.000 |", printed)

    def test_compare_only_evaluations_that_all_runs_have(self):
        by_ranks = {1: [{5: 1, 10: 1}, {5: 2}], 4: [{5: 1}, {5: 2, 15: 9}]}
        self.assertEqual(quiet(ranks.compare, by_ranks)[0], 1)

    def test_are_drawn_one_line_a_run(self):
        drawing = curves.svg_of({"1 rank": [{5: 10, 10: 8}, {5: 12, 10: 8}], "4 ranks": [{5: 11, 10: 4}]})
        document = xml.dom.minidom.parseString(drawing)
        self.assertEqual(len(document.getElementsByTagName("polyline")), 3)

    def test_are_drawn_with_numbers_on_both_axes(self):
        drawing = curves.svg_of({"1 rank": [{5: 10, 10: 8}], "4 ranks": [{5: 11, 10: 4}]})
        texts = [text.firstChild.data for text in xml.dom.minidom.parseString(drawing).getElementsByTagName("text")]
        for number in ("0", "2", "8", "10"):
            self.assertEqual(texts.count(number), 2)
        self.assertIn("4 ranks", texts)


class Table(unittest.TestCase):
    def test_has_mean_and_deviation_of_the_seeds(self):
        _, printed = quiet(study.print_table, "MNIST", {"ours": [{"fid5k": 1}, {"fid5k": 3}], "theirs": [{"fid5k": 4}]},
                           {"distance": "fid5k"})
        self.assertIn("| MNIST | seeds | distance |", printed)
        self.assertIn("| ours | 2 | 2.000 ± 1.414 |", printed)
        self.assertIn("| theirs | 1 | 4.000 |", printed)


class Comparison(unittest.TestCase):
    def compare(self, measured, rounds=1):
        """Returns what a comparison does with what each contender's program prints, and what is printed. Without that, it fails."""
        def measure(command, *_arguments, **_options):
            if measured[command] is None:
                raise subprocess.CalledProcessError(1, command)
            return measured[command]
        arguments = argparse.Namespace(rounds=rounds, threads=1, batch=1, steps=1)
        with unittest.mock.patch.object(timing, "measure", measure):
            return quiet(timing.compare, {name: name for name in measured}, arguments, max)

    def test_leaves_out_torch_compile_where_it_fails(self):
        sides = {timing.OURS: {"step_seconds": [2], "peak_resident_mib": 30}, timing.EAGER: {"step_seconds": [3], "peak_resident_mib": 40}}
        result, printed = self.compare({**sides, timing.COMPILED: None}, rounds=2)
        self.assertEqual(result, (1.5, 0.75))
        self.assertEqual(printed.count("torch.compile fails here"), 1)

    def test_ends_where_the_networks_have_other_numbers_of_parameters(self):
        sides = {name: {"step_seconds": [1], "peak_resident_mib": 1, "parameters": {"generator": count}}
                 for name, count in ((timing.OURS, 10), (timing.EAGER, 11))}
        with self.assertRaisesRegex(SystemExit, "the generator has 10 and 11 parameters"):
            self.compare(sides)

    def test_times_the_steps_of_a_training(self):
        for script in ("biggan/compare_steps.py", "r3gan/compare_steps.py", "step/compare.py", "stylegan3/compare_iterations.py"):
            with unittest.mock.patch.object(timing, "program_of", lambda _arguments, name: name), \
                    unittest.mock.patch.object(timing, "compare", return_value=(9, 0)) as compare, \
                    unittest.mock.patch.object(sys, "argv", [script]), self.assertRaises(SystemExit) as ended:
                quiet(runpy.run_path, str(PROJECT / "benchmarks" / script), {}, "__main__")
            self.assertEqual(compare.call_args[0][0][timing.OURS][0], "training_benchmark", script)
            self.assertEqual(ended.exception.code, 0, script)


class Program(unittest.TestCase):
    def program_that_prints(self, commit):
        """Returns how a study names a program, whose version has this line."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "ganscale"
            file.write_text(f"#!/bin/sh\nprintf '0.1.0\\n{commit}\\nmpi       none\\n'\n")
            file.chmod(0o755)
            stand_in = argparse.Namespace(programs=file.parent)
            return study.Study.program(stand_in)

    def test_is_named_by_its_commit(self):
        self.assertEqual(self.program_that_prints("commit    0a319b1e04cb"), "0a319b1e04cb")

    def test_of_a_changed_tree_is_named_by_its_hash(self):
        names = [self.program_that_prints(line) for line in ("commit    0a319b1e04cb-dirty", "commit    unknown", "")]
        self.assertTrue(all(len(name) == 64 for name in names), names)


class Pairing(unittest.TestCase):
    def test_is_judged_by_the_bounds_of_the_ratio(self):
        adam = [{"fid5k": 1.0}, {"fid5k": 1.01}, {"fid5k": 0.99}]
        for factor, verdict in ((1.03, "not worse: "), (1.3, "worse: "), (1.1, "not shown to be worse or not worse: ")):
            self.assertTrue(pairing.verdict_of(adam, [{"fid5k": factor * one["fid5k"]} for one in adam]).startswith(verdict), factor)
        self.assertEqual(pairing.verdict_of(adam, [*adam, pairing.DIVERGED]), "worse: it diverged")

    def test_keeps_the_runs_of_policies_apart(self):
        self.assertEqual(len({pairing.run_name(policy, 1) for policy in pairing.POLICIES}), len(pairing.POLICIES))

    def test_of_rates_makes_up_for_the_deviation_of_noise(self):
        [rate] = [setting for setting in pairing.ADABELIEFS["AdaBelief, 0.58 of the rate"] if "learning_rate" in setting]
        self.assertEqual(rate, "generator.optimizer.learning_rate=0.000115")


class ThreeModels(unittest.TestCase):
    def test_end_their_schedules_with_the_training(self):
        for dataset in ("cifar10", "letters"):
            ends = [setting for setting in three.settings_of("R3GAN", dataset, 120, 1) if ".kimg=" in setting]
            self.assertTrue(all(setting.endswith("=120") for setting in ends), ends)
            self.assertEqual(len(ends), 7)

    def test_measure_stylegan2_with_augmentation(self):
        settings = three.settings_at_their_rate("letters")
        self.assertEqual({model: "augment.p=0.2" in words for model, words in settings.items()},
                         {"DC-GAN": False, "StyleGAN2 with ADA": True, "R3GAN": False})

    def test_take_the_weight_with_the_lower_distance_after_a_fifth(self):
        trained = []

        class FakeStudy(study.Study):
            def __init__(self):
                pass

            def train(self, run, settings):
                trained.append((run, "training.total_kimg=20" in settings, "training.seed=0" in settings))

            def evaluate(self, run, _result):
                return {"fid5k": 1 if run in ("search-dc-gan-weight1", "search-r3gan-weight0.05") else 2}

            def result(self, run):
                return self.evaluate(run, run) if any(run == name for name, *_ in trained) else None

        arguments = argparse.Namespace(dataset="letters", jobs=1)
        kimg = {model: 100 for model in three.MODELS}
        weights, printed = quiet(three.search, FakeStudy(), arguments, kimg, math.inf)
        self.assertEqual(weights, {"DC-GAN": 1, "StyleGAN2 with ADA": 0.05, "R3GAN": 0.05})
        self.assertIn("better weights after 20% of the images: DC-GAN 1,", printed)
        self.assertEqual([rest for _, *rest in trained], [[True, True]] * 6)

    def test_name_the_model_with_the_lowest_mean(self):
        arguments = argparse.Namespace(dataset="letters", seconds=1800)
        result = dict.fromkeys(study.COLUMNS.values(), 1)
        rows = {"DC-GAN": [{**result, "fid5k": 2}, {**result, "fid5k": 3}], "R3GAN": [{**result, "fid5k": 1}, {**result, "fid5k": 3}]}
        printed = quiet(three.print_result, arguments, {"DC-GAN": 300, "R3GAN": 120}, rows)[1]
        self.assertIn("lowest mean distance of 2 seeds in 1800 s: R3GAN, 2.000", printed)


class Claims(unittest.TestCase):
    def test_of_the_lowest_ratio_hold_where_all_reach_it(self):
        code, printed = quiet(timing.judge_lowest, {"zip, 32": 2, "TFRecord, 32": 23.7}, 2)
        self.assertEqual((code, printed), (0, "at least 2.00 times as fast: zip, 32 (needed: 2)\n"))

    def test_of_the_lowest_ratio_do_not_hold_where_one_is_below(self):
        self.assertEqual(quiet(timing.judge_lowest, {"zip, 32": 1.99, "TFRecord, 32": 23.7}, 2)[0], 1)


if __name__ == "__main__":
    unittest.main()
