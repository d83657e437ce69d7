#include "training/bench/workload.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cost/operation.h"
#include "cost/roofline.h"
#include "training/bench/count_step.h"
#include "training/run/precision.h"
#include "training/run/section_checks.h"

namespace ganscale::training {
namespace {

constexpr int kRanks = 2;  // so that there are all-reduces to count

/// Returns whether each rank can divide so many images into passes, and all a pass into groups.
bool is_countable(const RunConfig& config, std::int64_t images) {
  const std::int64_t passes = config.training.accumulate;
  if (images % passes != 0) return false;
  try {
    require_shared_statistics(config, kRanks * images / passes, kRanks);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

/// Ends: each rank can divide a multiple of its passes times the size of a group.
std::int64_t countable_from(const RunConfig& config, std::int64_t images) {
  while (!is_countable(config, images)) ++images;
  return images;
}

std::int64_t countable_near(const RunConfig& config, std::int64_t images) {
  for (std::int64_t fewer = images; fewer > 0; --fewer) {
    if (is_countable(config, fewer)) return fewer;
  }
  return countable_from(config, images);
}

/// A training with `images` on each rank.
std::vector<CountedPhase> count(RunConfig config, std::int64_t images) {
  config.training.batch = kRanks * images;
  return count_step(config, kRanks);
}

using Operations = std::vector<cost::Operation>;

/// Adds the times of a phase on a number of images.
void add_point(planning::Phase& phase, const CountedPhase& counted, double images,
               const std::function<double(const Operations&)>& seconds) {
  phase.device.push_back({images, seconds(counted.gradients) + seconds(counted.update)});
  if (!counted.fakes.empty()) phase.fakes.push_back({images, seconds(counted.fakes)});
}

double reductions_in(const Operations& operations) {
  const auto is_reduction = [](const cost::Operation& operation) {
    return operation.kind == cost::Kind::kAllReduce;
  };
  return static_cast<double>(std::ranges::count_if(operations, is_reduction));
}

planning::Phase planned(const CountedPhase& phase, const TrainingConfig& config) {
  cost::Work work = cost::work_of(phase.gradients);
  work += cost::work_of(phase.update);
  const cost::Work of_fakes = cost::work_of(phase.fakes);
  const double in_graph = config.cuda_graphs ? cost::work_of(phase.gradients).launches : 0;
  return {.name = phase.name,
          .network = phase.network,
          .interval = static_cast<double>(phase.interval),
          .offset = phase.offset,
          .launches = work.launches - in_graph,
          .graph_launches = in_graph,
          .reduced_bytes = work.all_reduce_bytes,
          .reductions = reductions_in(phase.gradients) + reductions_in(phase.update),
          .fakes_launches = of_fakes.launches,
          .fakes_reduced_bytes = of_fakes.all_reduce_bytes,
          .fakes_reductions = reductions_in(phase.fakes)};
}

}  // namespace

planning::Workload count_workload(const RunConfig& config, std::int64_t images,
                                  const cost::Device& device) {
  const std::int64_t few = countable_near(config, std::max<std::int64_t>(1, images / 4));
  const std::int64_t many = countable_from(config, std::max(images, few + 1));
  const auto of_few = count(config, few);
  const auto of_many = count(config, many);
  // The host is never late, as in a CUDA graph.
  const cost::Execution execution{.in_graph = true, .tf32 = allows_tf32(config.training.precision)};
  const auto seconds = [&](const Operations& operations) {
    return cost::time_of(operations, device, execution).total();
  };
  const models::ModelConfig& model = config.model;
  planning::Workload workload{
      .image_bytes = static_cast<double>(model.channels * model.resolution.pixels()),
      .passes = config.training.accumulate,
      .discriminator_first = config.loss.discriminator_first};
  for (std::size_t i = 0; i < of_many.size(); ++i) {
    planning::Phase phase = planned(of_many[i], config.training);
    add_point(phase, of_few[i], static_cast<double>(few), seconds);
    add_point(phase, of_many[i], static_cast<double>(many), seconds);
    workload.phases.push_back(std::move(phase));
  }
  return workload;
}

}  // namespace ganscale::training
