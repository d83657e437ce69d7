#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string_view>

namespace ganscale::models {

/// Fills `parameter` with numbers of N(mean, standard_deviation) that depend only on seed and name,
/// not on the order of the layers, the world size or the device.
void draw_normal(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                 double mean, double standard_deviation);

/// The same with numbers that are uniform in [-limit, limit).
void draw_uniform(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                  double limit);

/// Fills the singular vectors of spectral norms with N(0, 1). network, seed: as initialize_he().
void initialize_singular_vectors(torch::nn::Module& module, std::string_view network,
                                 std::uint64_t seed);

/// Initializes weights with variance 2 / fan-in (He et al. 2015, arXiv:1502.01852, Eq. (10)), label
/// vectors with variance 1, biases with zero and scales of batch norms with one.
///
/// network: "generator" or "discriminator", so that they do not share numbers.
void initialize_he(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

}  // namespace ganscale::models
