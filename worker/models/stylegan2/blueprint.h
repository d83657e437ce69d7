#pragma once

#include "models/contract/model.h"
#include "models/stylegan2/config.h"

namespace ganscale::models::stylegan2 {

inline constexpr Traits kTraits = {
    .labels = Labels::kOptional, .has_styles = true, .has_float16 = true};

/// The files that scripts/convert-stylegan2.py writes.
extern const PublicWeights kPublicWeights;

/// Reads the keys of a StyleGAN2.
void read(config::Section& in, ModelConfig& config);

/// Initializes a StyleGAN2: weights, the constant input and the constant noise with N(0, 1),
/// mapping layers, whose learning rate multiplier is 0.01, with N(0, 100). The rest stays as
/// constructed.
///
/// Papers:  Karras et al. 2018, arXiv:1710.10196, Section 4.1; 2019, arXiv:1812.04948, Appendix C.
/// network: "generator" or "discriminator", so that they do not share numbers.
void initialize_stylegan2(torch::nn::Module& module, std::string_view network, std::uint64_t seed);

class StyleganBlueprint : public Blueprint {
 public:
  explicit StyleganBlueprint(const NetworkConfig& config) : config_(config) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override;
  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override;
  int lowest_low_precision_resolution() const override;
  int statistics_color(std::int64_t batch, const comm::Group& world) const override;

  /// Returns the configuration of the networks for these images, labels and ranks.
  NetworkConfig networks(const BuildContext& in) const;

 private:
  NetworkConfig config_;
};

}  // namespace ganscale::models::stylegan2
