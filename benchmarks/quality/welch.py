"""Welch's t-test: whether the means of two samples differ, or are shown to be equivalent, without assuming equal variances.

Welch 1947, "The generalization of 'Student's' problem"; equivalence by two one-sided tests: Schuirmann 1987.
"""
import math
import statistics


def welch(one, other):
    """Returns how much the mean of `other` is higher, the standard error of that, and its degrees of freedom. Each needs two values."""
    difference = statistics.mean(other) - statistics.mean(one)
    parts = [statistics.variance(values) / len(values) for values in (one, other)]
    if sum(parts) == 0:
        return difference, 0.0, len(one) + len(other) - 2
    freedom = sum(parts) ** 2 / sum(part ** 2 / (len(values) - 1) for part, values in zip(parts, (one, other)))
    return difference, math.sqrt(sum(parts)), freedom


def p_of_difference(one, other):
    """Returns the p-value of the two-sided test whose null hypothesis is that the means are equal."""
    difference, error, freedom = welch(one, other)
    return 2 * student_cdf(-abs(ratio(difference, error)), freedom)


def p_of_equivalence(one, other, bound):
    """Returns the p-value of two one-sided tests whose null hypothesis is that the means differ by `bound` or more.

    It is the larger of both, which is that of the bound nearer to the difference.
    """
    difference, error, freedom = welch(one, other)
    return student_cdf(ratio(abs(difference) - bound, error), freedom)


def interval(one, other, confidence):
    """Returns the lowest and the highest value of the confidence interval of the difference of the means."""
    difference, error, freedom = welch(one, other)
    width = student_quantile((1 + confidence) / 2, freedom) * error
    return difference - width, difference + width


def ratio(value, error):
    """Returns value / error; infinity, or 0 for the value 0, where there is no error."""
    if error > 0:
        return value / error
    return math.copysign(math.inf, value) if value else 0.0


def student_cdf(t, freedom):
    """Returns the probability that a value of Student's distribution is at most t. `freedom`: positive, need not be whole."""
    tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def student_quantile(probability, freedom):
    """Returns the value that is not exceeded with this probability, which is above 0 and below 1."""
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while student_cdf(high, freedom) < probability:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if student_cdf(middle, freedom) < probability else (low, middle)
    return high


def incomplete_beta(x, a, b):
    """Returns the regularized incomplete beta function I_x(a, b) for x from 0 to 1 (Abramowitz & Stegun 26.5)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    factor = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):  # where the fraction converges quickly
        return factor / (a * beta_fraction(x, a, b))
    return 1 - factor / (b * beta_fraction(1 - x, b, a))


def beta_fraction(x, a, b):
    """Returns 1 + d1/(1 + d2/(1 + ...)), with the d of A&S 26.5.8: I_x(a, b) is a factor divided by it.

    From the first term on, by Lentz's method: `value` is the ratio of two sequences, whose growth are `above` and `below`.
    """
    value, above, below = 1.0, 1.0, 0.0
    for i in range(1, 10000):
        m = i // 2
        term = (m * (b - m) * x / ((a + i - 1) * (a + i)) if i % 2 == 0
                else -(a + m) * (a + b + m) * x / ((a + i - 1) * (a + i)))
        below = 1 / (1 + term * below)
        above = 1 + term / above
        value *= above * below
        if abs(above * below - 1) < 1e-15:
            return value
    raise ArithmeticError(f"no convergence: I_{x}({a}, {b})")
