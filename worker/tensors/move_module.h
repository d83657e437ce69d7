#pragma once

#include <ATen/core/Tensor.h>

namespace torch::nn {
class Module;
}

namespace ganscale {

/// Moves the parameters and buffers of a module to a device and a floating dtype, in place, as
/// Module::to(), and to the meta device as well, where tensors have a shape and no memory.
///
/// Graph: parameters are leaves without gradients, before and after.
void move_module(torch::nn::Module& module, at::Device device, at::ScalarType dtype);

}  // namespace ganscale
