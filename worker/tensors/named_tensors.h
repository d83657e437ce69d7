#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

namespace torch::nn {
class Module;
}

namespace ganscale {

/// Tensors sorted by name, so that all ranks have the same order. Holds handles, not copies.
using NamedTensors = std::map<std::string, at::Tensor>;

/// Returns the module's parameters by dotted name.
NamedTensors named_parameters(const torch::nn::Module& module);
/// Returns the module's buffers by dotted name.
NamedTensors named_buffers(const torch::nn::Module& module);
/// Returns parameters and buffers: everything that a checkpoint stores of a network.
NamedTensors named_state(const torch::nn::Module& module);

/// Adds all of `more` to `all` with `prefix` in front of each name. A duplicate name is a bug.
void insert_with_prefix(NamedTensors& all, std::string_view prefix, const NamedTensors& more);

/// Copies values in place into the tensors of the same names.
///
/// Throws DataError with `what` and the tensor's name if one is missing, unknown or of another
/// shape.
void copy_into(const NamedTensors& target, const NamedTensors& source, std::string_view what);

}  // namespace ganscale
