#include "training/phases/due_phases.h"

#include <utility>

#include "base/stopwatch.h"

namespace ganscale::training {
namespace {

/// Returns the last phase that trains the generator in this step; null if none does.
const Phase* last_update_of_generator(const std::vector<Phase>& phases, Replica& replica,
                                      std::int64_t step) {
  const Phase* last = nullptr;
  for (const Phase& phase : phases) {
    if (phase.network == &replica.generator() && phase.is_due(step)) last = &phase;
  }
  return last;
}

}  // namespace

bool run_due_phases(std::vector<Phase>& phases, Replica& replica, const DueStep& step,
                    StepResult& result) {
  const Progress& progress = step.progress;
  const Phase* last_of_generator = last_update_of_generator(phases, replica, progress.step);
  for (Phase& phase : phases) {
    if (!phase.is_due(progress.step)) continue;
    const Stopwatch watch;
    if (phase.follow_schedules) phase.follow_schedules(progress.images_seen);
    PhaseOutput output = step.recorder != nullptr ? step.recorder->compute_gradients(phase)
                                                  : compute_gradients(phase, step.input);
    result.statistics.merge(output.statistics);
    if (output.fakes) step.input.fakes = std::move(output.fakes);
    const bool moves_average = &phase == last_of_generator;
    step.skipped.add(phase, update_network(phase, progress.images_seen,
                                           moves_average ? &step.averages : nullptr));
    result.phase_seconds[phase.name] = watch.seconds();
  }
  result.skipped = step.skipped.take();
  if (last_of_generator != nullptr) result.generator_steps = 1;
  return last_of_generator != nullptr;
}

}  // namespace ganscale::training
