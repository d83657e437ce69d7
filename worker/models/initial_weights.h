#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string_view>

namespace ganscale::models {

/// Replaces `parameter` by numbers of N(mean, standard_deviation) that depend on the seed and the
/// name alone: not on the order of the layers, the world or the device.
void draw_normal(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                 double mean, double standard_deviation);

/// Draws the weights of a DC-GAN: convolutions, linear layers and label vectors of D from
/// N(0, 0.02), scales of batch norms from N(1, 0.02), the label embedding of G, which stands beside
/// z, from N(0, 1); biases are zero.
///
/// Paper:   Radford et al. 2016, arXiv:1511.06434, Section 4 ("zero-centered Normal distribution
///          with standard deviation 0.02"); label vectors are our choice.
/// network: "generator" or "discriminator", so that the two never share numbers.
void initialize_dcgan(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

/// Draws the weights of a StyleGAN2: weights, the constant image and constant noise from N(0, 1),
/// mapping layers from N(0, 100), whose rate multiplier is 0.01; the rest stays as it was made.
///
/// Papers:  Karras et al. 2018, arXiv:1710.10196, Section 4.1; 2019, arXiv:1812.04948, Appendix C.
/// network: as above.
void initialize_stylegan2(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

/// Draws a network's first weights with the variance 2 / (inputs of an output), He et al. 2015,
/// arXiv:1502.01852, Eq. (10), those of a label's vector with variance 1; biases are zero, batch
/// norms scale by one. Names and seed as above.
void initialize_he(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

}  // namespace ganscale::models
