#include "planning/model/predict.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace ganscale::planning {
namespace {

/// Returns the time on `images`, on the line between the points around it or the last two.
double interpolate(const std::vector<DevicePoint>& points, double images) {
  check(!points.empty(), "a phase has a time");
  if (points.size() == 1) return points[0].seconds * images / points[0].images;
  std::size_t next = 1;
  while (next + 1 < points.size() && points[next].images < images) ++next;
  const DevicePoint& a = points[next - 1];
  const DevicePoint& b = points[next];
  const double share = (images - a.images) / (b.images - a.images);
  return std::max(0.0, a.seconds + share * (b.seconds - a.seconds));
}

/// Returns what an all-reduce of a phase adds to a phase that computes for `computing` seconds.
AllReduceTime exposed(const Phase& phase, double computing, int gpus, const Machine& machine,
                      const Assumptions& assumptions) {
  if (gpus == 1 || phase.reductions == 0) return {};
  const AllReduceTime one = all_reduce_time(phase.reduced_bytes / phase.reductions, gpus, machine,
                                            assumptions.link_share);
  const double all = one.seconds * phase.reductions;
  const double hidden = std::min(all - one.seconds, assumptions.overlap * computing);
  return {all - hidden + assumptions.synchronize_seconds, one.algorithm};
}

/// Returns how much longer than `step` the images of a step take to arrive.
double wait_for_data(const Workload& workload, const Assumptions& assumptions, const Scale& scale,
                     const StepTime& step) {
  const double decoding =
      scale.images_per_rank() * workload.image_bytes / assumptions.reader_bytes_per_second;
  const double reading = static_cast<double>(scale.batch) * workload.image_bytes /
                         assumptions.storage_bytes_per_second;
  return std::max(0.0, std::max(decoding, reading) - step.total());
}

double device_seconds(const Phase& phase, const Assumptions& assumptions, double images) {
  return assumptions.device * interpolate(phase.device, images);
}

/// Returns how often a rank does what was counted: a measured training may have other passes.
double rounds_of(const Workload& workload, const Scale& scale) {
  if (scale.at_once == 0) return 1;
  return std::ceil(scale.images_per_rank() / static_cast<double>(scale.at_once)) /
         static_cast<double>(workload.passes);
}

/// Returns the parts of a step that concern only one rank: device and host.
StepTime compute(const Workload& workload, const Assumptions& assumptions, const Scale& scale) {
  const double rounds = rounds_of(workload, scale);
  StepTime step;
  double launching = 0;
  for (const Phase& phase : workload.phases) {
    step.device += rounds * device_seconds(phase, assumptions, scale.images_per_rank() / rounds) /
                   phase.interval;
    launching += rounds * phase.launches * assumptions.launch_seconds / phase.interval;
  }
  // Nothing in a step waits for the device, so the host runs ahead over phases and steps.
  step.host = std::max(0.0, launching - step.device);
  return step;
}

}  // namespace

double mean_largest_normal(int count) {
  // The mean of a variable is the integral of [x > 0] - P(variable <= x).
  constexpr double kFar = 9;
  constexpr int kIntervals = 600;
  constexpr double kWidth = 2 * kFar / kIntervals;
  double sum = 0;
  for (int i = 0; i < kIntervals; ++i) {
    const double x = -kFar + (i + 0.5) * kWidth;
    const double below = std::pow(0.5 * std::erfc(-x / std::sqrt(2.0)), count);
    sum += (x > 0 ? 1 : 0) - below;
  }
  return sum * kWidth;
}

StepTime predict_step(const Workload& workload, const Machine& machine,
                      const Assumptions& assumptions, const Scale& scale) {
  check(machine.nodes_of(scale.gpus) > 0, "GPUs fill nodes");
  check(scale.gpus_of_rank == 1, "ranks that train together have a GPU each");
  StepTime step = compute(workload, assumptions, scale);
  const double images = scale.images_per_rank() / rounds_of(workload, scale);
  const auto passes = static_cast<double>(workload.passes);  // the last reduces gradients
  const double stretch = step.device > 0 ? (step.device + step.host) / step.device : 1;
  double largest_bytes = 0;
  for (const Phase& phase : workload.phases) {
    const double computing = stretch * device_seconds(phase, assumptions, images) / passes;
    const AllReduceTime reducing = exposed(phase, computing, scale.gpus, machine, assumptions);
    step.all_reduce += reducing.seconds / phase.interval;
    if (phase.reduced_bytes > largest_bytes) {
      largest_bytes = phase.reduced_bytes;
      step.algorithm = reducing.algorithm;
    }
  }
  step.stragglers = std::hypot(assumptions.jitter, assumptions.spread) *
                    mean_largest_normal(scale.gpus) * (step.device + step.host);
  step.data = wait_for_data(workload, assumptions, scale, step);
  return step;
}

StepTime predict_lone_step(const Workload& workload, const Assumptions& assumptions,
                           const Scale& scale) {
  StepTime step = compute(workload, assumptions, scale);
  step.data = wait_for_data(workload, assumptions, scale, step);
  return step;
}

double seconds_per_kimg(const StepTime& step, const Scale& scale) {
  return step.total() * 1000 / static_cast<double>(scale.batch);
}

}  // namespace ganscale::planning
