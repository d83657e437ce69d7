#include "training/evaluation/perceptual_path.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "device/exact_float32.h"
#include "metrics/networks/feature_net.h"
#include "report/log/progress.h"
#include "training/evaluation/drawn_labels.h"
#include "training/evaluation/drawn_noise.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kMostPathsAtOnce = 8;  // a VGG of 256 pixels takes 100 MB for an image

/// Two points a step apart on each path.
struct Step {
  at::Tensor first;
  at::Tensor second;
};

/// t: [N, 1] float64.
Step step_on_arcs(const at::Tensor& a, const at::Tensor& b, const at::Tensor& t) {
  const auto point = [&](const at::Tensor& place) {
    return metrics::on_arc(a.to(at::kDouble), b.to(at::kDouble), place).to(a.scalar_type());
  };
  return {point(t), point(t + metrics::kPathStep)};
}

/// a, b: [N, w_count, w_dim]; t: [N, 1] float64.
Step step_on_lines(const at::Tensor& a, const at::Tensor& b, const at::Tensor& t) {
  const auto point = [&](const at::Tensor& place) {
    return a.to(at::kDouble).lerp(b.to(at::kDouble), place.unsqueeze(2)).to(a.scalar_type());
  };
  return {point(t), point(t + metrics::kPathStep)};
}

/// Generates both images of a step with the same noise. A generator without styles has none.
Step images_of(models::Generator& generator, const Step& latents, const at::Tensor& labels,
               const kernels::RandomStream& noise) {
  const auto image_of = [&](const at::Tensor& z) {
    auto same = noise;
    return generator.forward(z, labels, same);
  };
  return {image_of(latents.first), image_of(latents.second)};
}

Step images_of_styles(models::StyleGenerator& generator, const Step& styles,
                      const kernels::RandomStream& noise) {
  const DrawnNoise drawn(generator);
  const auto image_of = [&](const at::Tensor& w) {
    auto same = noise;
    return generator.synthesize(w, same);
  };
  return {image_of(styles.first), image_of(styles.second)};
}

/// Generates the images of the paths first, first + stride, ..., `count` of them.
Step images_of_paths(models::Generator& generator, const PathMeasurement& in,
                     const ImageRandom& paths, std::int64_t count) {
  const auto options = generator.parameters().front().options();
  kernels::RandomStream random(paths, Stream::kEvaluate);
  const auto z = random.normal({count, 2 * generator.z_dim()}, options).chunk(2, 1);
  auto labels = draw_labels(in.labels, count, random);
  if (labels.defined()) labels = labels.to(options.device());
  auto t = at::zeros({count, 1}, options.dtype(at::kDouble));
  if (in.rule.is_anywhere) t = random.uniform({count, 1}, options.dtype(at::kDouble));
  auto* style = generator.as_style_generator();
  if (style == nullptr) {
    return images_of(generator, step_on_arcs(z[0], z[1], t), labels, random);
  }
  const auto map = [&](const at::Tensor& latents) {
    return style->map(latents, labels, in.truncation);
  };
  if (in.rule.is_between_latents) {
    const Step latents = step_on_arcs(z[0], z[1], t);
    return images_of_styles(*style, {map(latents.first), map(latents.second)}, random);
  }
  return images_of_styles(*style, step_on_lines(map(z[0]), map(z[1]), t), random);
}

/// Returns the distances of the images, divided by the square of the step: [N] float64 on the host.
at::Tensor lengths_of(const Step& images, metrics::PerceptualNet& net, bool crops) {
  const auto embed = [&](const at::Tensor& of) {
    return net.embed(crops ? metrics::face_of(of) : of);
  };
  return metrics::perceptual_distances(embed(images.first), embed(images.second))
             .to(at::kCPU, at::kDouble) /
         (metrics::kPathStep * metrics::kPathStep);
}

}  // namespace

double perceptual_path_length(models::Generator& generator, metrics::PerceptualNet& net,
                              const PathMeasurement& measurement, comm::Group& group) {
  const at::NoGradGuard no_grad;
  const device::ExactFloat32 exact;
  const std::int64_t total = measurement.path_count;
  const std::int64_t stride = group.size();
  const auto batch = std::min(measurement.batch, kMostPathsAtOnce);
  const auto lengths = at::zeros({total}, at::kDouble);
  report::ProgressBar bar("paths", total);
  for (std::int64_t first = group.rank(); first < total; first += batch * stride) {
    const auto count = std::min(batch, (total - first + stride - 1) / stride);
    const auto images =
        images_of_paths(generator, measurement, {measurement.seed, first, stride}, count);
    const auto here = lengths_of(images, net, measurement.rule.crops);
    lengths.index_copy_(0, at::arange(count).mul(stride).add(first), here);
    if (group.rank() == 0) bar.update(first);
  }
  group.all_reduce_sum(lengths);
  if (const auto path = metrics::first_nonfinite_row({lengths.unsqueeze(1), {}})) {
    throw DataError("the perceptual network returned NaN or infinity for a generated image: path " +
                    std::to_string(*path));
  }
  return metrics::mean_without_tails(lengths);
}

}  // namespace ganscale::training
