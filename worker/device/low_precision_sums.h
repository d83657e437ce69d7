#pragma once

namespace ganscale::device {

/// Has products of float16 and bfloat16 matrices add up in float32, in all threads. By default
/// cuBLAS may round partial sums to the low precision, in which the gradient of a layer with many
/// pixels loses digits.
void forbid_low_precision_sums();

}  // namespace ganscale::device
