#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>

namespace ganscale::models {

/// Adds a layer, or an empty list of them, to a network.
template <class Layer, class... Arguments>
std::shared_ptr<Layer> add(torch::nn::Module& network, const std::string& name,
                           Arguments&&... arguments) {
  return network.register_module(name,
                                 std::make_shared<Layer>(std::forward<Arguments>(arguments)...));
}

/// A list of layers, named by index.
using List = torch::nn::Module;

}  // namespace ganscale::models
