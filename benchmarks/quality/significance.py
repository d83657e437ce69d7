"""One-sided tests: whether values are higher than others, by Welch's t-test, and whether paired differences are above zero, by Wilcoxon's
signed ranks; a two-sided test whether values differ from others, by Wilcoxon's sum of ranks; and Holm's correction for several tests.
"""
import math
from bisect import bisect_left, bisect_right
from collections import Counter

from welch import ratio, student_cdf, welch


def p_of_higher(one, other):
    """Returns the p-value of Welch's test whose null hypothesis is that the mean of `other` is not higher. Each needs two values."""
    difference, error, freedom = welch(one, other)
    return student_cdf(-ratio(difference, error), freedom)


def doubled_ranks(ascending):
    """Returns the ranks of sorted values times two: equal values share the mean of their ranks, which may end in a half."""
    return [bisect_left(ascending, value) + 1 + bisect_right(ascending, value) for value in ascending]


def p_of_positive(differences):
    """Returns the p-value of the signed-rank test whose null hypothesis is that differences are symmetric about zero, or lower.

    It is exact, with ties, too: of all ways to choose the signs, the share whose positive ranks have at least this sum. Zeros do not count.

    Wilcoxon 1945, "Individual comparisons by ranking methods".
    """
    values = sorted((abs(value), value > 0) for value in differences if value != 0)
    ranks = doubled_ranks([size for size, _ in values])
    found = sum(rank for rank, (_, is_positive) in zip(ranks, values) if is_positive)
    ways = Counter({0: 1})  # to reach each sum of positive ranks
    for rank in ranks:
        ways += Counter({total + rank: count for total, count in ways.items()})
    return sum(count for total, count in ways.items() if total >= found) / 2 ** len(ranks)


def p_of_other_ranks(one, other):
    """Returns the p-value of the two-sided rank-sum test whose null hypothesis is that both have the same distribution.

    It is exact, with ties, too: of all ways to choose which values are those of `one`, the share whose ranks have a sum at least this far
    from the mean. Values may be infinite.

    Wilcoxon 1945, "Individual comparisons by ranking methods".
    """
    together = sorted([*one, *other])
    ranks = doubled_ranks(together)
    rank_of = dict(zip(together, ranks))
    mean = len(one) * (len(together) + 1)
    found = sum(rank_of[value] for value in one)
    ways = Counter({(0, 0): 1})  # to reach each number and sum of chosen ranks
    for rank in ranks:
        ways += Counter({(chosen + 1, total + rank): count for (chosen, total), count in ways.items() if chosen < len(one)})
    far = sum(count for (chosen, total), count in ways.items() if chosen == len(one) and abs(total - mean) >= abs(found - mean))
    return far / math.comb(len(together), len(one))


def holm(p_values):
    """Returns the p-values, adjusted so that with each level, the probability of any false rejection is at most that level.

    Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    adjusted, highest = {}, 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = highest
    return [adjusted[i] for i in range(len(p_values))]
