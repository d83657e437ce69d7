// Measures the steps per second of scheme asynchronous against the same split at staleness 0, and
// against scheme synchronous, with ranks as threads. The networks are tiny, and each rank sleeps in
// place of the work of larger ones, so that the number of cores does not matter.
#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/stopwatch.h"
#include "comm/backends/thread_group.h"
#include "training/replica/replica.h"
#include "training/run/parse_run.h"
#include "training/schemes/asynchronous/discriminator_role.h"
#include "training/schemes/asynchronous/generator_role.h"
#include "training/schemes/synchronous/synchronous.h"

namespace {

using namespace ganscale;            // NOLINT: a program of one file
using namespace ganscale::training;  // NOLINT

constexpr int kSteps = 96;

/// The time that one rank takes for the work of a step on the whole batch.
struct Work {
  double generator_ms;
  double discriminator_ms;
};

struct Claim {
  const char* name;
  wire::RoleRatio ratio;
  Work work;
  double needed;  ///< speed against staleness 0; 0: reported, not judged
};

constexpr Claim kClaims[] = {
    {"1:1, equal", {1, 1}, {20, 20}, 1.6},
    {"1:1, G three times slower", {1, 1}, {60, 20}, 1.2},
    {"1:1, D three times slower", {1, 1}, {20, 60}, 1.2},
    {"1:3, D three times slower", {1, 3}, {20, 60}, 0},
    {"1:3, equal", {1, 3}, {60, 60}, 0},
};

RunConfig make_config() {
  RunConfig config =
      parse_run(config::parse_yaml("model: {name: stylegan2, resolution: 8, z_dim: 4, w_dim: 4, "
                                   "channel_base: 32, channel_max: 4, mapping_layers: 1}\n"
                                   "training: {batch: 12}\n",
                                   "benchmark"));
  config.model.channels = 1;
  return config;
}

/// Black images, each after a sleep.
class SleepingInputs : public StepInputs {
 public:
  SleepingInputs(const RunConfig& config, const comm::Group& group, double milliseconds)
      : group_(group),
        seconds_(milliseconds / 1000),
        images_(at::zeros({config.training.batch / group.size(), 1, 8, 8})) {}

  StepInput next(const Progress& progress) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    return {{images_, {}},
            image_random(SeedMode::kImage, 1, group_.rank(), group_.size(), progress.images_seen)};
  }

 private:
  const comm::Group& group_;
  double seconds_;
  at::Tensor images_;
};

/// Trains with agreements as often as the loop has them. Returns the seconds of a step.
double time_steps(Trainer& trainer, comm::Group& world) {
  Progress progress;
  world.barrier();
  const Stopwatch watch;
  while (progress.step < kSteps) {
    const std::int64_t end = progress.step + trainer.steps_between_agreements();
    while (progress.step < std::min<std::int64_t>(end, kSteps)) trainer.step(progress);
    trainer.reconcile(progress);
    world.barrier();
  }
  return watch.seconds() / kSteps;
}

double time_asynchronous(const RunConfig& config, const Claim& claim, std::int64_t max_staleness) {
  double seconds = 0;
  comm::run_ranks(claim.ratio.sum(), [&](comm::Group& world) {
    const wire::RolePlan plan(claim.ratio, world.size());
    RoleLinks links(config, plan, world);
    NetworkGroups network_groups(config, links.ranks());
    Replica replica(config, at::kCPU, network_groups.borrowed());
    const bool generates = links.role() == wire::Role::kGenerator;
    const double work = generates ? claim.work.generator_ms : claim.work.discriminator_ms;
    SleepingInputs inputs(config, links.ranks(), work / links.ranks().size());
    const RoleParts parts{config, plan, replica, links, world, max_staleness};
    std::unique_ptr<Trainer> trainer;
    if (generates) trainer = std::make_unique<GeneratorRole>(parts, inputs, Progress{});
    if (!generates) trainer = std::make_unique<DiscriminatorRole>(parts, inputs, Progress{});
    const double seconds_here = time_steps(*trainer, world);
    if (world.rank() == 0) seconds = seconds_here;
  });
  return seconds;
}

double time_synchronous(const RunConfig& config, const Claim& claim) {
  double seconds = 0;
  comm::run_ranks(claim.ratio.sum(), [&](comm::Group& world) {
    NetworkGroups network_groups(config, world);
    Replica replica(config, at::kCPU, network_groups.borrowed());
    const double work = claim.work.generator_ms + claim.work.discriminator_ms;
    SleepingInputs inputs(config, world, work / world.size());
    Synchronous trainer(config, replica, inputs, world);
    const double seconds_here = time_steps(trainer, world);
    if (world.rank() == 0) seconds = seconds_here;
  });
  return seconds;
}

/// Measures one line. Returns whether it holds.
bool measure(const RunConfig& config, const Claim& claim) {
  const double in_turn = time_asynchronous(config, claim, 0);
  const double with_1 = time_asynchronous(config, claim, 1);
  const double with_2 = time_asynchronous(config, claim, 2);
  const double synchronous = time_synchronous(config, claim);
  std::printf("%-27s %6.1f %6.1f %6.1f %6.1f ms  %5.2f %5.2f  %5.2f", claim.name, in_turn * 1e3,
              with_1 * 1e3, with_2 * 1e3, synchronous * 1e3, in_turn / with_1, in_turn / with_2,
              synchronous / with_1);
  if (claim.needed > 0) std::printf("  (needed: %.1f)", claim.needed);
  std::printf("\n");
  return in_turn / with_1 >= claim.needed;
}

}  // namespace

int main() {
  at::set_num_threads(1);
  const RunConfig config = make_config();
  std::printf(
      "ranks G:D, work              a step at staleness 0, 1, 2; synchronous   speed of 1, "
      "2 against 0; of 1 against synchronous\n");
  bool holds = true;
  for (const Claim& claim : kClaims) holds &= measure(config, claim);
  return holds ? 0 : 1;
}
