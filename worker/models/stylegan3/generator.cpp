#include "models/stylegan3/generator.h"

#include <ATen/TensorOperators.h>

#include "models/stylegan3/plain_images.h"

namespace ganscale::models::stylegan3 {

Synthesis::Synthesis(const NetworkConfig& config)
    : output_scale_(config.output_scale),
      input_(register_module("input", std::make_shared<SynthesisInput>(
                                          input_signal(config.synthesis), config.w_dim))) {
  for (const Layer& layer : layers_of(config.synthesis)) {
    layers_.push_back(register_module(name_of(layer, layers_.size()),
                                      std::make_shared<SynthesisLayer>(SynthesisLayerOptions{
                                          .layer = layer,
                                          .w_dim = config.w_dim,
                                          .clamp = config.clamp,
                                          .magnitude_beta = config.magnitude_beta,
                                          .low_precision_type = config.low_precision_type,
                                          .ranks = config.ranks})));
  }
}

at::Tensor Synthesis::forward(const at::Tensor& w, bool tracks) const {
  const auto styles = w.unbind(1);
  at::Tensor x = input_->forward(styles[0]);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i]->forward(x, styles[i + 1], tracks);
  }
  return x.to(w.scalar_type()).contiguous() * output_scale_;
}

StyleganGenerator::StyleganGenerator(const NetworkConfig& config)
    : MappedGenerator({config.synthesis.image_channels, config.synthesis.resolution},
                      stylegan::mapping_options(config), config.w_count()),
      config_(config),
      synthesis_(register_module("synthesis", std::make_shared<Synthesis>(config))) {}

at::Tensor StyleganGenerator::map_for_training(const Latents& latents) {
  if (latents.z.size(0) == 0) return latents.z.new_zeros({0, w_count(), config_.w_dim});
  return map(latents.z, latents.labels, {});
}

at::Tensor StyleganGenerator::synthesize(const at::Tensor& w, RandomStream& /*random*/) {
  return synthesis_->forward(w, /*tracks=*/false);
}

at::Tensor StyleganGenerator::make_fakes(const at::Tensor& z, const at::Tensor& labels,
                                         RandomStream& /*random*/) {
  const at::Tensor w = mapping().forward(z, labels);
  mapping().track_average(w.mean(0));
  return synthesis_->forward(w.unsqueeze(1).expand({-1, w_count(), -1}), /*tracks=*/true);
}

at::Tensor StyleganGenerator::traceable_forward(const at::Tensor& z, const at::Tensor& labels) {
  return plain_images(named_state(*this), config_, z, labels);
}

void StyleganGenerator::initialize_input(std::uint64_t seed) {
  synthesis_->input().initialize(seed, "generator.synthesis.input");
}

}  // namespace ganscale::models::stylegan3
