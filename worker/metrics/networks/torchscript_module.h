#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>
#include <unordered_map>

/// TorchScript modules that others made, whose errors name neither the file nor what to do.
namespace ganscale::metrics {

/// Loads a module in eval mode, with parameters that need no gradients. Throws ConfigError with
/// `refusal` and the file if it is none, DataError if it cannot be read.
torch::jit::Module load_torchscript(const std::filesystem::path& file, at::Device device,
                                    const std::string& refusal);

/// Returns whether forward() has an argument of this name.
bool has_argument(const torch::jit::Module& module, const char* name);

/// Calls forward(images, **options). Throws DataError if it fails.
at::IValue call(torch::jit::Module& module, const at::Tensor& images,
                const std::unordered_map<std::string, at::IValue>& options = {});

}  // namespace ganscale::metrics
