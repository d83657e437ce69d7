"""The one-sided tests, the one of ranks, and Holm's correction, which the studies of quality decide by."""
import math
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "benchmarks/quality")]
from significance import holm, p_of_higher, p_of_other_ranks, p_of_positive  # noqa: E402


class Higher(unittest.TestCase):
    def test_p_is_a_half_for_equal_means(self):
        self.assertAlmostEqual(p_of_higher([1, 2, 3], [0, 2, 4]), 0.5)

    def test_p_of_one_side_is_the_rest_of_the_other(self):
        one, other = [1, 2, 3], [2, 4, 6]
        self.assertAlmostEqual(p_of_higher(one, other) + p_of_higher(other, one), 1)

    # Two values each with the same variance 1/2: two degrees of freedom, and an error of sqrt(1/2). The distribution has a closed form.
    def test_p_is_that_of_student(self):
        t = 3 / math.sqrt(0.5)
        self.assertAlmostEqual(p_of_higher([1, 2], [4, 5]), 0.5 - t / (2 * math.sqrt(2 + t * t)))

    def test_is_certain_without_any_deviation(self):
        self.assertEqual([p_of_higher([1, 1], [2, 2]), p_of_higher([2, 2], [1, 1]), p_of_higher([1, 1], [1, 1])], [0, 1, 0.5])


class SignedRanks(unittest.TestCase):
    def test_p_of_positive_differences_alone_is_one_choice_of_signs(self):
        for count in (1, 5, 12):
            self.assertEqual(p_of_positive(range(1, count + 1)), 2 ** -count)

    # The ranks are 1, 2, 3, of which 2 and 3 are positive: sums of at least 5 are 2 + 3 and 1 + 2 + 3, two of eight.
    def test_p_counts_all_choices_with_such_a_sum(self):
        self.assertEqual(p_of_positive([-0.1, 0.2, 7]), 2 / 8)

    # The printed table for 12 pairs: a sum of the negative ranks of 17 is significant at a level of 5%, one of 18 is not.
    def test_p_agrees_with_the_table(self):
        def p(negative):
            return p_of_positive([-rank if rank in negative else rank for rank in range(1, 13)])
        self.assertAlmostEqual(p({12, 5}), 0.0461, places=4)
        self.assertAlmostEqual(p({12, 6}), 0.0549, places=4)

    # The ranks are 1.5, 1.5, 3: with the negative one among the equal, sums of at least 4.5 are 4.5 twice and 6.
    def test_equal_sizes_share_their_ranks(self):
        self.assertEqual(p_of_positive([-1, 1, 2]), 3 / 8)

    def test_zeros_do_not_count(self):
        self.assertEqual(p_of_positive([0, 1, 2, 0]), 1 / 4)
        self.assertEqual(p_of_positive([0, 0]), 1)

    def test_p_of_negative_differences_is_one(self):
        self.assertEqual(p_of_positive([-1, -2, -3]), 1)


class SumOfRanks(unittest.TestCase):
    def test_p_of_separate_values_is_two_of_all_choices(self):
        for one, other in (([1, 2], [3, 4, 5]), ([3, 4, math.inf], [1, 2])):
            self.assertEqual(p_of_other_ranks(one, other), 2 / 10)

    # The printed table for 4 and 8 values: a sum of 14 of the four is significant at a level of 5%, one of 15 is not.
    def test_p_agrees_with_the_table(self):
        def p(*four):
            return p_of_other_ranks(four, [rank for rank in range(1, 13) if rank not in four])
        self.assertAlmostEqual(p(1, 2, 3, 8), 0.0485, places=4)
        self.assertAlmostEqual(p(1, 2, 3, 9), 0.0727, places=4)

    # The ranks are 1, 2.5, 2.5, 4, and the mean of two of them is 5: sums of 3.5 and 6.5 are each reached twice, 5 twice.
    def test_equal_values_share_their_ranks(self):
        self.assertEqual(p_of_other_ranks([1, 2], [2, math.inf]), 4 / 6)

    def test_p_of_equal_values_is_one(self):
        self.assertEqual(p_of_other_ranks([math.inf] * 3, [math.inf] * 4), 1)


class Holm(unittest.TestCase):
    def test_multiplies_the_smallest_by_the_number_of_tests(self):
        self.assertEqual(holm([0.04, 0.01]), [0.04, 0.02])

    def test_never_gives_a_larger_p_a_smaller_one(self):
        self.assertEqual(holm([0.03, 0.02, 0.5]), [0.06, 0.06, 0.5])

    def test_is_at_most_one(self):
        self.assertEqual(holm([0.9, 0.8]), [1, 1])


if __name__ == "__main__":
    unittest.main()
