#include "cli/images/latent_walk.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <array>
#include <cmath>
#include <numbers>

#include "report/log/progress.h"
#include "report/media/video_file.h"

namespace ganscale::cli {
namespace {

/// Returns the point at `t` in [0, 1) from p[1] to p[2]. Source: Catmull & Rom 1974.
at::Tensor spline(const std::array<at::Tensor, 4>& p, double t) {
  const double t2 = t * t;
  const double t3 = t2 * t;
  return p[0] * ((-t3 + 2 * t2 - t) / 2) + p[1] * ((3 * t3 - 5 * t2 + 2) / 2) +
         p[2] * ((-3 * t3 + 4 * t2 + t) / 2) + p[3] * ((t3 - t2) / 2);
}

/// Returns the lengths of latents, [N, 1].
at::Tensor length_of(const at::Tensor& z) { return z.norm(2, {1}, /*keepdim=*/true); }

/// Scales latents to these lengths, [N, 1].
at::Tensor with_length(const at::Tensor& z, const at::Tensor& length) {
  constexpr double kShortest = 1e-12;  // opposite latents meet at 0
  return z * (length / length_of(z).clamp_min(kShortest));
}

/// Returns the label of the nearest key for each frame.
at::Tensor labels_of_frames(const SampleSpec& spec, int steps) {
  if (spec.labels.empty()) return {};
  std::vector<std::int64_t> labels;
  for (std::size_t key = 0; key < spec.labels.size(); ++key) {
    const auto next = spec.labels[(key + 1) % spec.labels.size()];
    for (int i = 0; i < steps; ++i) labels.push_back(2 * i < steps ? spec.labels[key] : next);
  }
  return at::tensor(labels);
}

/// The walk of one cell.
class CellWalk {
 public:
  CellWalk(const ImageSampler& sampler, const SampleSpec& spec, int steps)
      : sampler_(sampler),
        points_(sampler.has_styles() ? closed_walk(sampler.styles(spec), steps)
                                     : closed_latent_walk(sampler.latents(spec.seeds), steps)),
        labels_(labels_of_frames(spec, steps)) {}

  std::int64_t frame_count() const { return points_.size(0); }

  /// Returns the images of some frames, [count, C, H, W].
  at::Tensor images(std::int64_t first, std::int64_t count) const {
    const auto some = points_.narrow(0, first, count);
    if (sampler_.has_styles()) return sampler_.from_styles(some);
    return sampler_.from_latents(some,
                                 labels_.defined() ? labels_.narrow(0, first, count) : labels_);
  }

 private:
  const ImageSampler& sampler_;
  at::Tensor points_;  ///< [frames, ...], styles or latents
  at::Tensor labels_;  ///< [frames]; undefined without labels
};

}  // namespace

models::ImageMotion motion_at(const models::ImageMotion& whole, double t) {
  const double sine = std::sin(std::numbers::pi * t);
  const double way = sine * sine;
  return {.degrees = whole.degrees * t, .right = whole.right * way, .down = whole.down * way};
}

at::Tensor closed_walk(const at::Tensor& keys, int steps) {
  const std::int64_t count = keys.size(0);
  std::vector<at::Tensor> points;
  for (std::int64_t key = 0; key < count; ++key) {
    const std::array around = {keys[(key + count - 1) % count], keys[key], keys[(key + 1) % count],
                               keys[(key + 2) % count]};
    for (int i = 0; i < steps; ++i)
      points.push_back(spline(around, static_cast<double>(i) / steps));
  }
  return at::stack(points);
}

at::Tensor closed_latent_walk(const at::Tensor& z, int steps) {
  const auto own = length_of(z);
  const auto way = at::arange(steps, z.options()) / steps;
  const auto lengths = own + (own.roll(-1, 0) - own) * way;  // [N, steps]
  return with_length(closed_walk(z, steps), lengths.reshape({-1, 1}));
}

at::Tensor latent_between(const at::Tensor& from, const at::Tensor& to, double t) {
  return with_length(from.lerp(to, t), length_of(from).lerp(length_of(to), t));
}

at::Tensor image_between(const ImageSampler& sampler, const SampleSpec& from, const SampleSpec& to,
                         double t) {
  if (sampler.has_styles())
    return sampler.from_styles(sampler.styles(from).lerp(sampler.styles(to), t));
  const auto z = latent_between(sampler.latents(from.seeds), sampler.latents(to.seeds), t);
  return sampler.from_latents(z, from.labels.empty() ? at::Tensor() : at::tensor(from.labels));
}

void write_walk(const ImageSampler& sampler, const Walk& walk, const std::filesystem::path& file) {
  // All images that are made at once move alike.
  const std::int64_t frames_at_once = walk.motion.is_none() ? 16 : 1;
  std::vector<CellWalk> cells;
  for (const SampleSpec& spec : walk.cells) cells.emplace_back(sampler, spec, walk.frames_per_step);
  const std::int64_t frames = cells.front().frame_count();
  const auto video = report::open_video(file, walk.frames_per_second);
  report::ProgressBar bar("frames", frames);
  for (std::int64_t first = 0; first < frames; first += frames_at_once) {
    const auto count = std::min(frames_at_once, frames - first);
    if (!walk.motion.is_none()) {
      const double t = static_cast<double>(first) / static_cast<double>(frames);
      sampler.move_images(motion_at(walk.motion, t));
    }
    std::vector<at::Tensor> images;
    for (const CellWalk& cell : cells) images.push_back(cell.images(first, count));
    const auto by_frame = at::stack(images, 1);  // [frames, cells, C, H, W]
    for (std::int64_t i = 0; i < count; ++i)
      video->append(report::make_grid(by_frame[i], walk.layout));
    bar.update(first + count);
  }
  video->finish();
}

}  // namespace ganscale::cli
