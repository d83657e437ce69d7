#pragma once

#include <vector>

#include "training/phases/graph_recorder.h"
#include "training/phases/step_result.h"
#include "training/replica/replica.h"
#include "training/run/progress.h"

namespace ganscale::training {

/// A step of one rank.
struct DueStep {
  const Progress& progress;
  StepInput& input;                 ///< takes the fakes that a phase leaves to later ones
  const optim::Averages& averages;  ///< of the generator, before the step
  SkippedUpdates& skipped;
  GraphRecorder* recorder = nullptr;  ///< null if phases are not replayed
};

/// Runs the phases that are due in a step, one after the other, and adds what they did to the
/// result. Returns whether the generator was among them: its last update moves the averages.
bool run_due_phases(std::vector<Phase>& phases, Replica& replica, const DueStep& step,
                    StepResult& result);

}  // namespace ganscale::training
