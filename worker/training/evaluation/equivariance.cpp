#include "training/evaluation/equivariance.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/non_copyable.h"
#include "device/exact_float32.h"
#include "metrics/distances/equivariance.h"
#include "models/contract/image_motion.h"
#include "report/log/progress.h"
#include "training/evaluation/drawn_labels.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kImagesOfAMotion = 4;

/// Moves the images of a generator for a scope.
class Moved : NonCopyable {
 public:
  Moved(models::StyleGenerator& generator, const models::ImageMotion& motion)
      : transform_(generator.input_transform()), before_(transform_.clone()) {
    transform_.copy_(models::transform_of(motion));
  }
  ~Moved() { transform_.copy_(before_); }

 private:
  at::Tensor transform_;
  at::Tensor before_;
};

/// Returns the motion of two uniform numbers in [0, 1). side: of the images, in pixels.
models::ImageMotion motion_of(const metrics::MetricName& metric, const at::Tensor& uniform,
                              double side) {
  const auto signed_number = [&](int i) { return uniform[0][i].item<double>() * 2 - 1; };
  if (metric.metric == metrics::Metric::kRotation) return {.degrees = 180 * signed_number(0)};
  const auto part = [&](int i) {
    const double moved = metrics::kMostTranslation * signed_number(i);
    return metric.translates_by_fractions ? moved : std::round(moved * side) / side;
  };
  return {.right = part(0), .down = part(1)};
}

metrics::SquaredErrors compare(const metrics::MetricName& metric, const at::Tensor& images,
                               const at::Tensor& moved, const models::ImageMotion& motion) {
  if (metric.metric == metrics::Metric::kRotation) {
    return metrics::compare_turned(images, moved, motion.degrees);
  }
  const auto side = static_cast<double>(std::min(images.size(2), images.size(3)));
  const auto pixels = [&](double part) {  // whole ones up to the rounding of the division
    return metric.translates_by_fractions ? part * side : std::round(part * side);
  };
  return metrics::compare_translated(images, moved, {pixels(motion.right), pixels(motion.down)});
}

/// Returns what the images from number `first` on, `count` of them, differ by from moved ones.
metrics::SquaredErrors errors_of_images(models::StyleGenerator& generator,
                                        const EquivarianceMeasurement& in, std::int64_t first,
                                        std::int64_t count) {
  const auto options = generator.parameters().front().options();
  kernels::RandomStream random({in.seed, first, /*stride=*/1}, Stream::kEvaluate);
  const auto z = random.normal({count, generator.z_dim()}, options);
  auto labels = draw_labels(in.labels, count, random);
  if (labels.defined()) labels = labels.to(options.device());
  const auto numbers = random.uniform({count, 2}, at::TensorOptions(at::kDouble));
  const auto motion = motion_of(in.metric, numbers, generator.image().resolution.shorter_side());
  const auto w = generator.map(z, labels, in.truncation);
  const auto synthesize = [&] {
    auto same_noise = random;
    return generator.synthesize(w, same_noise).to(at::kFloat);
  };
  const auto images = synthesize();
  const Moved scope(generator, motion);
  return compare(in.metric, images, synthesize(), motion);
}

}  // namespace

double equivariance(models::StyleGenerator& generator, const EquivarianceMeasurement& measurement,
                    comm::Group& group) {
  const at::NoGradGuard no_grad;
  const device::ExactFloat32 exact;
  const std::int64_t total = measurement.metric.image_count;
  const std::int64_t motions = (total + kImagesOfAMotion - 1) / kImagesOfAMotion;
  // Of each motion, so that the ranks' number does not change the order of a sum.
  const auto errors = at::zeros({motions, 2}, at::kDouble);
  report::ProgressBar bar("moved images", total);
  for (std::int64_t motion = group.rank(); motion < motions; motion += group.size()) {
    const std::int64_t first = motion * kImagesOfAMotion;
    const auto count = std::min(kImagesOfAMotion, total - first);
    const auto here = errors_of_images(generator, measurement, first, count);
    errors[motion][0].fill_(here.sum);
    errors[motion][1].fill_(here.count);
    if (group.rank() == 0) bar.update(first);
  }
  group.all_reduce_sum(errors);
  const auto sums = errors.sum(0);
  const metrics::SquaredErrors all{sums[0].item<double>(), sums[1].item<double>()};
  if (all.count == 0) {
    throw ConfigError("images are too small to compare after a motion: " + measurement.metric.text +
                      ", " + short_text_of(generator.image().resolution) + " pixels");
  }
  if (!std::isfinite(all.sum)) {
    throw DataError("the generator returned NaN or infinity: " + measurement.metric.text);
  }
  return metrics::decibels_of(all);
}

}  // namespace ganscale::training
