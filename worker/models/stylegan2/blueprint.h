#pragma once

#include "models/contract/model.h"
#include "models/stylegan2/config.h"

namespace ganscale::models::stylegan2 {

inline constexpr Traits kTraits = {
    .labels = Labels::kOptional, .has_styles = true, .has_float16 = true};

/// The weights of stylegan2-ada-pytorch.
extern const PublicWeights kPublicWeights;

/// Reads the keys of a StyleGAN2.
void read(config::Section& in, ModelConfig& config);

/// Initializes a generator: its weights by stylegan::initialize_weights(), the constant input and
/// the constant noise with N(0, 1).
void initialize_generator(torch::nn::Module& module, std::uint64_t seed);

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
