"""Welch's t-test and Student's distribution, which the studies of quality decide by."""
import math
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "benchmarks/quality")]
import welch  # noqa: E402

# The printed table of Student's distribution: degrees of freedom, values that are not exceeded with 95%, 97.5% and 99.5%.
TABLE = {1: (6.314, 12.706, 63.657), 2: (2.920, 4.303, 9.925), 3: (2.353, 3.182, 5.841), 5: (2.015, 2.571, 4.032),
         10: (1.812, 2.228, 3.169), 14: (1.761, 2.145, 2.977), 30: (1.697, 2.042, 2.750), 120: (1.658, 1.980, 2.617)}
PROBABILITIES = (0.95, 0.975, 0.995)


class Student(unittest.TestCase):
    def test_probabilities_are_those_of_the_table(self):
        for freedom, values in TABLE.items():
            for t, probability in zip(values, PROBABILITIES):
                self.assertAlmostEqual(welch.student_cdf(t, freedom), probability, places=4)
                self.assertAlmostEqual(welch.student_cdf(-t, freedom), 1 - probability, places=4)

    def test_quantiles_are_those_of_the_table(self):
        for freedom, values in TABLE.items():
            for t, probability in zip(values, PROBABILITIES):
                self.assertAlmostEqual(welch.student_quantile(probability, freedom), t, delta=0.00051)
                self.assertAlmostEqual(welch.student_quantile(1 - probability, freedom), -t, delta=0.00051)

    def test_of_one_degree_is_that_of_cauchy(self):
        for t in (-40, -1, 0, 0.3, 1, 7):
            self.assertAlmostEqual(welch.student_cdf(t, 1), 0.5 + math.atan(t) / math.pi, places=13)

    def test_of_two_degrees_has_a_closed_form(self):
        for t in (-40, -1, 0, 0.3, 1, 7):
            self.assertAlmostEqual(welch.student_cdf(t, 2), 0.5 + t / (2 * math.sqrt(2 + t * t)), places=13)

    def test_degrees_need_not_be_whole(self):
        low, between, high = (welch.student_cdf(2, freedom) for freedom in (2, 2.94, 3))
        self.assertTrue(low < between < high)

    def test_of_many_degrees_is_the_normal_distribution(self):
        self.assertAlmostEqual(welch.student_cdf(1.959964, 1e7), 0.975, places=6)

    def test_ends_at_infinity(self):
        self.assertEqual((welch.student_cdf(-math.inf, 3), welch.student_cdf(math.inf, 3)), (0, 1))


class Welch(unittest.TestCase):
    # Variances 1 and 4 of three values each: 5/3 is the variance of the difference, with (5/3)^2 / ((1/9 + 16/9) / 2) = 50/17 degrees.
    ONE, OTHER = [1, 2, 3], [2, 4, 6]

    def test_gives_difference_error_and_degrees_of_freedom(self):
        for found, expected in zip(welch.welch(self.ONE, self.OTHER), (2, (5 / 3) ** 0.5, 50 / 17)):
            self.assertAlmostEqual(found, expected)

    def test_has_the_degrees_of_a_pooled_test_where_sizes_and_variances_are_equal(self):
        self.assertAlmostEqual(welch.welch([1, 2, 3, 4], [5, 6, 7, 8])[2], 6)

    def test_p_is_five_percent_at_the_end_of_the_interval(self):
        low, high = welch.interval(self.ONE, self.OTHER, 0.95)
        self.assertAlmostEqual((low + high) / 2, 2)
        for end in (low, high):
            self.assertAlmostEqual(welch.p_of_difference(self.ONE, [value - end for value in self.OTHER]), 0.05)

    def test_equivalence_has_p_of_five_percent_where_the_interval_of_90_percent_reaches_the_bound(self):
        _, high = welch.interval(self.ONE, self.OTHER, 0.9)
        self.assertAlmostEqual(welch.p_of_equivalence(self.ONE, self.OTHER, high), 0.05)
        self.assertAlmostEqual(welch.p_of_equivalence(self.OTHER, self.ONE, high), 0.05)

    def test_equivalence_has_p_of_a_half_at_the_bound(self):
        self.assertAlmostEqual(welch.p_of_equivalence(self.ONE, self.OTHER, 2), 0.5)

    def test_is_certain_without_any_deviation(self):
        self.assertEqual(welch.p_of_difference([1, 1], [2, 2]), 0)
        self.assertEqual(welch.p_of_difference([1, 1], [1, 1]), 1)
        self.assertEqual(welch.p_of_equivalence([1, 1], [1, 1], 0.1), 0)
        self.assertEqual(welch.p_of_equivalence([1, 1], [2, 2], 0.1), 1)


if __name__ == "__main__":
    unittest.main()
