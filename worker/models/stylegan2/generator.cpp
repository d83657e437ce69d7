#include "models/stylegan2/generator.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "models/stylegan2/plain_images.h"

namespace ganscale::models::stylegan2 {

StyleganGenerator::StyleganGenerator(const NetworkConfig& config)
    : MappedGenerator({config.channels, config.resolution}, stylegan::mapping_options(config),
                      config.w_count()),
      config_(config),
      synthesis_(register_module("synthesis", std::make_shared<Synthesis>(config_))) {}

Latents StyleganGenerator::draw(const at::Tensor& z, const at::Tensor& labels,
                                RandomStream& random) {
  Latents latents = MappedGenerator::draw(z, labels, random);
  if (config_.style_mixing == 0) return latents;
  latents.mixed_z = random.normal(z.sizes(), z.options());
  const int count = w_count();
  const at::Tensor numbers = random.uniform({z.size(0), 2}, z.options().dtype(at::kDouble));
  // The crossover is uniform over all layers but the first, which is never mixed.
  const auto place = (numbers.select(1, 1) * (count - 1)).floor().to(at::kLong).add(1);
  latents.crossover =
      at::where(numbers.select(1, 0).lt(config_.style_mixing), place, at::full_like(place, count));
  return latents;
}

at::Tensor StyleganGenerator::map_for_training(const Latents& latents) {
  const std::int64_t count = w_count();
  if (latents.z.size(0) == 0) {
    mapping().track_average(at::zeros_like(mapping().average()));
    return latents.z.new_zeros({0, count, config_.w_dim});
  }
  if (!latents.mixed_z.defined()) {
    const at::Tensor w = mapping().forward(latents.z, latents.labels);
    track_average(w, latents);
    return w.unsqueeze(1).expand({-1, count, -1});
  }
  const auto twice = [](const at::Tensor& x) { return x.defined() ? at::cat({x, x}) : x; };
  const auto w =
      mapping().forward(at::cat({latents.z, latents.mixed_z}), twice(latents.labels)).chunk(2);
  track_average(w[0], latents);
  const auto layers = at::arange(count, latents.crossover.options()).view({1, count, 1});
  return at::where(layers.lt(latents.crossover.view({-1, 1, 1})), w[0].unsqueeze(1),
                   w[1].unsqueeze(1));
}

void StyleganGenerator::track_average(const at::Tensor& w, const Latents& latents) {
  const double divisor = latents.images_per_rank > 0 ? latents.images_per_rank
                                                     : static_cast<double>(latents.z.size(0));
  mapping().track_average(w.detach().sum(0).div(divisor));
}

at::Tensor StyleganGenerator::synthesize(const at::Tensor& w, RandomStream& random) {
  const bool draws_noise = is_training() && config_.noise == NoiseMode::kRandom;
  return synthesis_->forward(w, draws_noise ? &random : nullptr);
}

at::Tensor StyleganGenerator::traceable_forward(const at::Tensor& z, const at::Tensor& labels) {
  return plain_images(named_state(*this), config_, z, labels);
}

void StyleganGenerator::prepare_weights() {
  MappedGenerator::prepare_weights();
  const at::NoGradGuard no_grad;
  synthesis_->prepare_weights();
}

}  // namespace ganscale::models::stylegan2
