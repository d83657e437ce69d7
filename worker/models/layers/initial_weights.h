#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string_view>

namespace ganscale::models {

/// Fills `parameter` with numbers of N(mean, standard_deviation) that depend only on seed and name,
/// not on the order of the layers, the world size or the device.
void draw_normal(const at::Tensor& parameter, std::uint64_t seed, std::string_view name,
                 double mean, double standard_deviation);

/// Initializes a DC-GAN: convolutions, linear layers and label vectors of D with N(0, 0.02), scales
/// of batch norms with N(1, 0.02), the label embedding of G, which is concatenated with z, with
/// N(0, 1), and biases with zero.
///
/// Paper:   Radford et al. 2016, arXiv:1511.06434, Section 4 ("zero-centered Normal distribution
///          with standard deviation 0.02"); label vectors are our choice.
/// network: "generator" or "discriminator", so that they do not share numbers.
void initialize_dcgan(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

/// Initializes a StyleGAN2: weights, the constant input and the constant noise with N(0, 1),
/// mapping layers, whose learning rate multiplier is 0.01, with N(0, 100). The rest stays as
/// constructed.
///
/// Papers:  Karras et al. 2018, arXiv:1710.10196, Section 4.1; 2019, arXiv:1812.04948, Appendix C.
/// network: as above.
void initialize_stylegan2(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

/// Initializes weights with variance 2 / fan-in (He et al. 2015, arXiv:1502.01852, Eq. (10)), label
/// vectors with variance 1, biases with zero and scales of batch norms with one. network, seed: as
/// above.
void initialize_he(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

/// Initializes a BigGAN: orthogonal weights, singular vectors with N(0, 1), biases with zero (our
/// choice). The rest stays as constructed.
///
/// Papers:  Brock et al. 2018, arXiv:1809.11096, Section 3; Saxe et al. 2013, arXiv:1312.6120.
/// network, seed: as above.
void initialize_biggan(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

}  // namespace ganscale::models
