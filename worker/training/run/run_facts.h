#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ganscale::training {

/// Facts about a run that do not change, stored in every checkpoint. The shapes of the networks
/// depend on them, and a run can't resume with other data.
struct RunFacts {
  std::string model;
  std::int64_t record_count = 0;
  int label_count = 0;
  int channels = 3;
  /// p(y), the frequency of each label in the data; empty without labels. Stored separately in
  /// checkpoints, since imported weights have none.
  std::vector<double> label_probabilities{};
  /// The name of each label, if the data have them. Stored in the same way.
  std::vector<std::string> label_names{};

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(RunFacts, model, record_count, label_count, channels)
};

}  // namespace ganscale::training
