#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
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

/// Returns whether these can be p(y): from 0 to 1, and not all 0.
inline bool are_probabilities(const std::vector<double>& values) {
  const auto is_one = [](double value) { return value >= 0 && value <= 1; };
  return std::ranges::all_of(values, is_one) &&
         std::ranges::any_of(values, [](double value) { return value > 0; });
}

/// Returns the first label that has a name both before and now, but another one.
inline std::optional<std::size_t> first_renamed_label(const std::vector<std::string>& before,
                                                      const std::vector<std::string>& now) {
  for (std::size_t label = 0; label < std::min(before.size(), now.size()); ++label) {
    const bool is_named = !before[label].empty() && !now[label].empty();
    if (is_named && before[label] != now[label]) return label;
  }
  return std::nullopt;
}

}  // namespace ganscale::training
