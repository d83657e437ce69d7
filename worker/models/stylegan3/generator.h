#pragma once

#include <vector>

#include "models/stylegan/mapped_generator.h"
#include "models/stylegan3/config.h"
#include "models/stylegan3/synthesis_input.h"
#include "models/stylegan3/synthesis_layer.h"

namespace ganscale::models::stylegan3 {

/// Synthesizes images from style vectors.
///
/// Children: input, then L<number>_<size>_<channels> of what each layer makes.
class Synthesis : public torch::nn::Module {
 public:
  explicit Synthesis(const NetworkConfig& config);

  /// w: [N, w_count, w_dim]. tracks: updates the magnitudes, see SynthesisLayer. Returns
  /// [N, channels, resolution, resolution] in the dtype of the parameters.
  at::Tensor forward(const at::Tensor& w, bool tracks) const;

  SynthesisInput& input() { return *input_; }

 private:
  double output_scale_;
  std::shared_ptr<SynthesisInput> input_;
  std::vector<std::shared_ptr<SynthesisLayer>> layers_;
};

/// The generator of StyleGAN3: all of an image moves and turns with its coarse features.
///
/// Paper:      Karras et al. 2021, arXiv:2106.12423.
/// Parameters: mapping.* and synthesis.*, named as in the public PyTorch implementation.
class StyleganGenerator : public stylegan::MappedGenerator {
 public:
  explicit StyleganGenerator(const NetworkConfig& config);

  /// The mean style stays as it is.
  at::Tensor map_for_training(const Latents& latents) override;
  at::Tensor synthesize(const at::Tensor& w, RandomStream& random) override;
  /// Updates the mean style and the magnitudes first.
  at::Tensor make_fakes(const at::Tensor& z, const at::Tensor& labels,
                        RandomStream& random) override;
  at::Tensor traceable_forward(const at::Tensor& z, const at::Tensor& labels) override;
  at::Tensor input_transform() override { return synthesis_->input().transform(); }

  /// Draws the Fourier features of the input.
  void initialize_input(std::uint64_t seed);

 private:
  const NetworkConfig config_;
  std::shared_ptr<Synthesis> synthesis_;
};

}  // namespace ganscale::models::stylegan3
