#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

namespace torch::nn {
class Module;
}

namespace ganscale {

/// Tensors by name, in the order of their names: the same on every rank. The tensors are handles,
/// not copies.
using NamedTensors = std::map<std::string, at::Tensor>;

/// Returns the module's parameters by their dotted names.
NamedTensors named_parameters(const torch::nn::Module& module);
/// Returns the module's buffers by their dotted names.
NamedTensors named_buffers(const torch::nn::Module& module);
/// Returns parameters and buffers together: all that a checkpoint keeps of a network.
NamedTensors named_state(const torch::nn::Module& module);

/// Adds all of `more` to `all`, each name behind `prefix`. A name twice is a bug.
void insert_with_prefix(NamedTensors& all, std::string_view prefix, const NamedTensors& more);

/// Copies values into the tensors of the same names, in place.
///
/// Throws DataError that names `what` and the tensor when one is missing, unknown or of another
/// shape.
void copy_into(const NamedTensors& target, const NamedTensors& source, std::string_view what);

}  // namespace ganscale
