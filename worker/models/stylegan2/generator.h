#pragma once

#include "models/stylegan/mapped_generator.h"
#include "models/stylegan2/synthesis.h"

namespace ganscale::models::stylegan2 {

/// The generator of StyleGAN2: a mapping network and a synthesis network with output skips.
///
/// Paper:      Karras et al. 2020, arXiv:1912.04958.
/// Parameters: mapping.* and synthesis.*, named as in the public PyTorch implementation.
class StyleganGenerator : public stylegan::MappedGenerator {
 public:
  explicit StyleganGenerator(const NetworkConfig& config);

  at::Tensor map_for_training(const Latents& latents) override;
  Latents draw(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;
  at::Tensor synthesize(const at::Tensor& w, RandomStream& random) override;
  at::Tensor traceable_forward(const at::Tensor& z, const at::Tensor& labels) override;
  void prepare_weights() override;

 private:
  void track_average(const at::Tensor& w, const Latents& latents);

  const NetworkConfig config_;
  std::shared_ptr<Synthesis> synthesis_;
};

}  // namespace ganscale::models::stylegan2
