#include "tensors/named_tensors.h"

#include <ATen/core/grad_mode.h>
#include <torch/nn/module.h>

#include <sstream>

#include "base/error.h"

namespace ganscale {
namespace {

NamedTensors to_map(const torch::OrderedDict<std::string, at::Tensor>& tensors) {
  NamedTensors result;
  for (const auto& item : tensors) result.emplace(item.key(), item.value());
  return result;
}

}  // namespace

NamedTensors named_parameters(const torch::nn::Module& module) {
  return to_map(module.named_parameters());
}

NamedTensors named_buffers(const torch::nn::Module& module) {
  return to_map(module.named_buffers());
}

NamedTensors named_state(const torch::nn::Module& module) {
  NamedTensors result = named_parameters(module);
  insert_with_prefix(result, "", named_buffers(module));
  return result;
}

void insert_with_prefix(NamedTensors& all, std::string_view prefix, const NamedTensors& more) {
  for (const auto& [name, tensor] : more) {
    const bool inserted = all.emplace(std::string(prefix) + name, tensor).second;
    check(inserted, "two tensors have the same name: " + std::string(prefix) + name);
  }
}

void copy_into(const NamedTensors& target, const NamedTensors& source, std::string_view what) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : source) {
    if (!target.contains(name))
      throw DataError(std::string(what) + " has an unknown tensor: " + name);
  }
  for (const auto& [name, tensor] : target) {
    const auto found = source.find(name);
    if (found == source.end()) throw DataError(std::string(what) + " lacks a tensor: " + name);
    if (found->second.sizes() != tensor.sizes()) {
      std::ostringstream message;
      message << what << " has a tensor of another shape: " << name << ": " << found->second.sizes()
              << ", expected " << tensor.sizes();
      throw DataError(message.str());
    }
    tensor.copy_(found->second);
  }
}

}  // namespace ganscale
