#include "models/layers/initial_weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_qr.h>

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

void initialize_singular_vectors(torch::nn::Module& module, std::string_view network,
                                 std::uint64_t seed) {
  for (const auto& [name, buffer] : named_buffers(module)) {
    if (!name.ends_with("spectral_norm.u")) continue;
    draw_normal(buffer, seed, std::string(network) + "." + name, 0, 1);
  }
}

/// Makes a weight of normal numbers [out, ...] orthogonal: its rows where these are fewer than the
/// columns, else its columns. Uniform over such matrices, as the signs of R are those of the
/// numbers (Mezzadri 2007, arXiv:math-ph/0609050, Section 5).
void orthogonalize(const at::Tensor& weight) {
  const auto matrix = weight.flatten(1);
  const bool is_wide = matrix.size(0) < matrix.size(1);
  const auto [Q, R] = at::linalg_qr(is_wide ? matrix.t() : matrix);
  const auto columns = Q.mul(R.diagonal().sign());
  weight.copy_((is_wide ? columns.t() : columns).reshape(weight.sizes()));
}

}  // namespace

void draw_normal(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                 double mean, double standard_deviation) {
  const at::NoGradGuard no_grad;
  const ImageRandom row{seed, number_of_name(name)};
  const auto normal = kernels::random_normal(row, Stream::kInitialWeights, /*site=*/0,
                                             {1, parameter.numel()}, parameter.options());
  parameter.copy_(normal.view(parameter.sizes()).mul(standard_deviation).add(mean));
}

void initialize_dcgan(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  initialize_singular_vectors(module, network, seed);
  for (const auto& [name, parameter] : named_parameters(module)) {
    const std::string full_name = std::string(network) + "." + name;
    if (name.ends_with("bias")) {
      parameter.zero_();
    } else if (name == "label_embedding.weight") {
      draw_normal(parameter, seed, full_name, 0, 1);
    } else {
      const bool is_batch_norm_scale = parameter.dim() == 1;
      draw_normal(parameter, seed, full_name, is_batch_norm_scale ? 1 : 0, 0.02);
    }
  }
}

void initialize_stylegan2(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  for (const auto& [name, tensor] : named_state(module)) {
    const bool is_drawn =
        name.ends_with("weight") || name.ends_with("b4.const") || name.ends_with("noise_const");
    if (!is_drawn) continue;
    const bool is_mapping_layer = name.find("mapping.fc") != std::string::npos;
    draw_normal(tensor, seed, std::string(network) + "." + name, 0, is_mapping_layer ? 100 : 1);
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

void initialize_biggan(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(module)) {
    const bool is_weight = name.ends_with("weight");
    if (!is_weight && !name.ends_with("u0")) continue;
    draw_normal(tensor, seed, std::string(network) + "." + name, 0, 1);
    if (is_weight) orthogonalize(tensor);
  }
}

}  // namespace ganscale::models
