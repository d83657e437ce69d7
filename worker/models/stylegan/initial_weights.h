#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string_view>

namespace ganscale::models::stylegan {

/// Initializes the weights of equalized layers with N(0, 1), and of mapping layers, whose
/// learning rate multiplier is 0.01, with N(0, 100). The rest stays as constructed.
///
/// Papers:  Karras et al. 2018, arXiv:1710.10196, Section 4.1; 2019, arXiv:1812.04948, Appendix C.
/// network: "generator" or "discriminator", so that they do not share numbers.
void initialize_weights(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

}  // namespace ganscale::models::stylegan
