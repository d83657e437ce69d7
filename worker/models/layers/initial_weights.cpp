#include "models/layers/initial_weights.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "kernels/counter_random/counter_random.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

// FNV-1a, folded to the 48 bits of an image number. std::hash differs between libraries.
std::int64_t number_of_name(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return static_cast<std::int64_t>((hash ^ hash >> 48) & 0xFFFFFFFFFFFF);
}

kernels::RandomStream numbers_of(std::string_view name, std::uint64_t seed) {
  return {ImageRandom{seed, number_of_name(name)}, Stream::kInitialWeights};
}

}  // namespace

void draw_normal(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                 double mean, double standard_deviation) {
  const at::NoGradGuard no_grad;
  const auto normal = numbers_of(name, seed).normal({1, parameter.numel()}, parameter.options());
  parameter.copy_(normal.view(parameter.sizes()).mul(standard_deviation).add(mean));
}

void draw_uniform(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                  double limit) {
  const at::NoGradGuard no_grad;
  const auto uniform = numbers_of(name, seed).uniform({1, parameter.numel()}, parameter.options());
  parameter.copy_(uniform.view(parameter.sizes()).mul(2 * limit).sub(limit));
}

void initialize_singular_vectors(torch::nn::Module& module, std::string_view network,
                                 std::uint64_t seed) {
  for (const auto& [name, buffer] : named_buffers(module)) {
    if (!name.ends_with("spectral_norm.u")) continue;
    draw_normal(buffer, seed, std::string(network) + "." + name, 0, 1);
  }
}

void initialize_he(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  initialize_singular_vectors(module, network, seed);
  for (const auto& [name, parameter] : named_parameters(module)) {
    const std::string full_name = std::string(network) + "." + name;
    if (name == "label_embedding.weight") {
      draw_normal(parameter, seed, full_name, 0, 1);
    } else if (name.ends_with("bias")) {
      parameter.zero_();
    } else if (name.find("norm") != std::string::npos) {
      parameter.fill_(1);  // each label's, too
    } else {
      const auto inputs = static_cast<double>(parameter.numel() / parameter.size(0));
      draw_normal(parameter, seed, full_name, 0, std::sqrt(2 / inputs));
    }
  }
}

}  // namespace ganscale::models
