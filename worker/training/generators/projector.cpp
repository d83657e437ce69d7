#include "training/generators/projector.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mse_loss.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/non_copyable.h"
#include "optim/rules/adam.h"

namespace ganscale::training {
namespace {

constexpr std::uint32_t kMeanSite = 1;
constexpr std::uint32_t kNoiseSite = 2;

/// The mean of the styles and their root mean square distance from it.
struct StyleStatistics {
  at::Tensor mean;  ///< [1, 1, w_dim]
  double deviation = 0;
  std::int64_t w_count = 0;  ///< style vectors of an image
};

StyleStatistics style_statistics(models::StyleGenerator& generator,
                                 const ProjectionOptions& options, const at::Tensor& like) {
  const at::NoGradGuard no_grad;
  constexpr std::int64_t kAtOnce = 1000;
  std::int64_t w_count = 0;
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < options.mean_samples; first += kAtOnce) {
    const auto count = std::min(kAtOnce, options.mean_samples - first);
    const auto z = kernels::random_normal({options.seed, first, 1}, Stream::kSamples, kMeanSite,
                                          {count, generator.z_dim()}, like.options());
    const auto label = options.label.defined() ? options.label.expand({count}) : options.label;
    const auto w = generator.map(z, label, {});
    w_count = w.size(1);
    parts.push_back(w.select(1, 0));
  }
  const auto styles = at::cat(parts);
  const auto mean = styles.mean(0, /*keepdim=*/true);
  const double square = (styles - mean).square().sum(1).mean().item<double>();
  return {mean.unsqueeze(0), std::sqrt(square), w_count};
}

/// Returns the part of the learning rate that a step takes: up over the first twentieth, down along
/// a cosine over the last quarter.
double rate_factor(double progress) {
  const double down = std::min(1.0, (1 - progress) / 0.25);
  const double up = std::min(1.0, progress / 0.05);
  return (0.5 - 0.5 * std::cos(down * std::numbers::pi)) * up;
}

NamedTensors noise_maps_of(const models::StyleGenerator& generator) {
  NamedTensors maps = named_buffers(generator);
  std::erase_if(maps, [](const auto& item) { return !item.first.ends_with("noise_const"); });
  return maps;
}

/// Returns how alike neighbors of the noise maps are, at all sizes down to 8 pixels; undefined
/// without maps.
at::Tensor noise_likeness(const NamedTensors& maps) {
  at::Tensor sum;
  for (const auto& [name, map] : maps) {
    at::Tensor level = map.view({1, 1, map.size(0), map.size(1)});
    for (;;) {
      for (const std::int64_t axis : {2, 3}) {
        const auto likeness = (level * level.roll(1, axis)).mean().square();
        sum = sum.defined() ? sum + likeness : likeness;
      }
      if (std::min(level.size(2), level.size(3)) <= 8) break;
      level = at::avg_pool2d(level, {2, 2});
    }
  }
  return sum;
}

/// Gives each map mean 0 and deviation 1 again.
void normalize(const NamedTensors& maps) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, map] : maps) {
    map.sub_(map.mean());
    map.div_(map.square().mean().sqrt());
  }
}

/// Makes the noise maps of a generator variables, and constants of their old values at the end.
class BorrowedNoise : NonCopyable {
 public:
  BorrowedNoise(NamedTensors maps, const ProjectionOptions& options) : maps_(std::move(maps)) {
    const at::NoGradGuard no_grad;
    std::uint32_t site = kNoiseSite;
    for (const auto& [name, map] : maps_) {
      kept_[name] = map.clone();
      map.copy_(kernels::random_normal({options.seed, 0, 1}, Stream::kSamples, ++site,
                                       {1, map.size(0), map.size(1)}, map.options())[0]);
      map.set_requires_grad(true);
    }
  }
  ~BorrowedNoise() {
    const at::NoGradGuard no_grad;
    for (const auto& [name, map] : maps_) {
      map.set_requires_grad(false);
      map.mutable_grad().reset();
      map.copy_(kept_.at(name));
    }
  }

  const NamedTensors& maps() const { return maps_; }

 private:
  NamedTensors maps_;
  NamedTensors kept_;
};

/// What a projection comes near to.
class Target {
 public:
  Target(const at::Tensor& image, metrics::PerceptualNet* net) : image_(image), net_(net) {
    if (net_ != nullptr) embedding_ = net_->embed(image_);
  }
  at::Tensor distance_to(const at::Tensor& image) const {
    if (net_ == nullptr) return pyramid_distance(image, image_);
    return metrics::perceptual_distances(net_->embed(image), embedding_).sum();
  }

 private:
  at::Tensor image_;
  metrics::PerceptualNet* net_;
  at::Tensor embedding_;
};

}  // namespace

at::Tensor pyramid_distance(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor first = a;
  at::Tensor second = b;
  at::Tensor sum = at::mse_loss(first, second);
  while (std::min(first.size(2), first.size(3)) > 8) {
    first = at::avg_pool2d(first, {2, 2});
    second = at::avg_pool2d(second, {2, 2});
    sum = sum + at::mse_loss(first, second);
  }
  return sum;
}

Projection project(models::StyleGenerator& generator, const at::Tensor& target,
                   const ProjectionOptions& options,
                   const std::function<void(int step, double distance)>& report) {
  check(!generator.is_training(), "a projection needs a generator in eval mode");
  const Target wanted(target, options.perceptual_net);
  const auto statistics = style_statistics(generator, options, target);
  const BorrowedNoise noise(noise_maps_of(generator), options);
  const at::Tensor style = statistics.mean.clone().set_requires_grad(true);
  NamedTensors variables = noise.maps();
  variables["style"] = style;
  optim::Adam adam(variables, {.beta1 = 0.9, .beta2 = 0.999});
  const std::int64_t w_count = statistics.w_count;
  kernels::RandomStream unused({options.seed, 0, 1}, Stream::kSamples);
  for (int step = 0; step < options.step_count; ++step) {
    const double progress = static_cast<double>(step) / options.step_count;
    const double strength = statistics.deviation * options.initial_noise *
                            std::pow(std::max(0.0, 1 - progress / 0.75), 2);
    const auto jitter = kernels::random_normal({options.seed, step, 1}, Stream::kSamples,
                                               kNoiseSite, style.sizes(), style.options());
    const auto image =
        generator.synthesize((style + jitter * strength).expand({1, w_count, -1}), unused);
    const auto distance = wanted.distance_to(image);
    for (const auto& [name, variable] : variables) variable.mutable_grad().reset();
    const auto likeness = noise_likeness(noise.maps());
    (likeness.defined() ? distance + likeness * options.noise_weight : distance).backward();
    adam.step(options.learning_rate * rate_factor(progress));
    normalize(noise.maps());
    report(step + 1, distance.item<double>());
  }
  const at::NoGradGuard no_grad;
  Projection found;
  found.style = style.detach().expand({1, w_count, -1}).clone();
  for (const auto& [name, map] : noise.maps()) found.noise_maps[name] = map.detach().clone();
  found.image = generator.synthesize(found.style, unused);
  found.distance = wanted.distance_to(found.image).item<double>();
  return found;
}

}  // namespace ganscale::training
