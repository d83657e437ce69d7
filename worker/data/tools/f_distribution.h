#pragma once

namespace ganscale::data {

/// Returns log10 P(F > f) of Fisher's F distribution: the p-value of an F-test, even if p itself
/// is too small for a floating-point number.
///
/// f:                                not negative; infinite gives -infinity.
/// between_degrees, within_degrees:  of freedom, positive.
double log10_f_test_p(double f, double between_degrees, double within_degrees);

}  // namespace ganscale::data
