#pragma once

#include <string>

#include "tensors/named_tensors.h"

namespace ganscale::parity {

/// Returns a tensor of a fixture. Throws DataError if it is not there.
const at::Tensor& stored(const NamedTensors& tensors, const std::string& name);

}  // namespace ganscale::parity
