#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planning/model/predict.h"

namespace ganscale::planning {

/// What stays the same when nodes are added.
enum class Mode {
  kStrong,    ///< the batch
  kWeak,      ///< the batch of a GPU
  kPerLabel,  ///< the images of a label: each rank trains one by itself, all at the same time
};

std::string_view name_of(Mode mode);
/// Throws UsageError with all names.
Mode mode_of_name(std::string_view name);

/// What to predict.
struct Question {
  Mode mode = Mode::kStrong;
  Scale first = {};            ///< says the batch, and the GPUs of a rank: 1 but with kPerLabel
  std::vector<int> gpus = {};  ///< of each row, ascending; they fill nodes, or a part of one
  double kimg = 25'000;        ///< of the training; of each label with kPerLabel
};

/// The prediction for a number of GPUs.
struct ScalingRow {
  int nodes = 1;
  Scale scale = {};
  StepTime step = {};
  double seconds_per_kimg = 0;
  double speedup = 1;     ///< against the first row's images a second
  double efficiency = 1;  ///< the same for each GPU
  double hours = 0;       ///< of the whole training, with its start
  double gpu_hours() const { return hours * scale.gpus; }
};

struct Scaling {
  Question question = {};
  std::vector<ScalingRow> rows = {};
  std::string left_out = {};  ///< why rows are missing, if any are
};

/// Returns numbers of GPUs: `first` and its doublings within a node, then 1, 2, 4, ... nodes, and
/// at last those of `last_nodes`.
std::vector<int> doublings(int first, const Machine& machine, int last_nodes);

/// Predicts the scaling. Rows end when ranks have less than one image of the batch or not a whole
/// number, in each of Workload::passes.
Scaling predict_scaling(const Question& question, const Workload& workload, const Machine& machine,
                        const Assumptions& assumptions);

/// A part of a step's time by its name.
struct Term {
  std::string_view name;
  double StepTime::* seconds;
};
std::span<const Term> terms();

/// Returns the term that takes the largest part of the step.
std::string_view limit_of(const StepTime& step);

}  // namespace ganscale::planning
