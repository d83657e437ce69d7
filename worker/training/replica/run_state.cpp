#include "training/replica/run_state.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/formats/label_file.h"
#include "wire/integers.h"

namespace ganscale::training {
namespace {

constexpr const char* kFacts = "facts";
constexpr const char* kProgress = "progress";
constexpr const char* kDeviceSeconds = "device_seconds";
constexpr const char* kRecentNonfiniteSteps = "recent_nonfinite_steps";
constexpr const char* kLabelProbabilities = "label_probabilities";
constexpr const char* kLabelNames = "label_names";

/// Returns what is under a key. counts: its members that are integers.
template <class Value>
Value read(const nlohmann::ordered_json& state, const char* key,
           std::initializer_list<const char*> counts = {}) {
  try {
    const nlohmann::json json(state.at(key));
    wire::require_integers<std::int64_t>(json, counts);
    for (const char* count : counts) {
      if (json.at(count) < 0) throw std::invalid_argument(std::string("negative: ") + count);
    }
    return json.get<Value>();
  } catch (const std::exception& error) {
    throw DataError(std::string("the checkpoint's manifest has no valid ") + key + ": " +
                    error.what());
  }
}

/// Returns a list of steps.
std::vector<std::int64_t> steps_in(const nlohmann::ordered_json& list) {
  const auto is_step = [](const auto& step) { return wire::is_integer<std::int64_t>(step); };
  if (list.is_array() && std::all_of(list.begin(), list.end(), is_step))
    return list.get<std::vector<std::int64_t>>();
  throw DataError(std::string("the checkpoint's manifest has no valid ") + kRecentNonfiniteSteps +
                  ": not a list of integers");
}

}  // namespace

nlohmann::ordered_json to_state(const RunFacts& facts, const Progress& progress) {
  nlohmann::ordered_json state;
  state[kFacts] = nlohmann::json(facts);
  state[kProgress] = nlohmann::json(progress);
  if (progress.device_seconds) state[kDeviceSeconds] = *progress.device_seconds;
  if (!progress.recent_nonfinite_steps.empty())
    state[kRecentNonfiniteSteps] = progress.recent_nonfinite_steps;
  if (!facts.label_probabilities.empty()) state[kLabelProbabilities] = facts.label_probabilities;
  if (!facts.label_names.empty()) state[kLabelNames] = facts.label_names;
  return state;
}

RunFacts facts_in(const nlohmann::ordered_json& state) {
  auto facts = read<RunFacts>(state, kFacts, {"record_count", "label_count", "channels"});
  constexpr int kMostChannels = 3;
  // As they are written: in a RunFacts they are cut off to the bits of an int.
  const auto& labels = state.at(kFacts).at("label_count");
  const auto& channels = state.at(kFacts).at("channels");
  if (labels > data::kMostLabels || channels < 1 || channels > kMostChannels) {
    throw DataError("the checkpoint's manifest has impossible facts: " + labels.dump() +
                    " labels, " + channels.dump() + " channels");
  }
  if (state.contains(kLabelProbabilities)) {
    facts.label_probabilities = read<std::vector<double>>(state, kLabelProbabilities);
    if (std::cmp_not_equal(facts.label_probabilities.size(), facts.label_count) ||
        !are_probabilities(facts.label_probabilities)) {
      throw DataError("the checkpoint's manifest has no valid label_probabilities of " +
                      labels.dump() + " labels");
    }
  }
  if (state.contains(kLabelNames))
    facts.label_names = read<std::vector<std::string>>(state, kLabelNames);
  return facts;
}

Progress progress_in(const nlohmann::ordered_json& state) {
  auto progress = read<Progress>(
      state, kProgress, {"images_seen", "step", "stream_position", "tick", "nonfinite_steps"});
  if (state.contains(kDeviceSeconds)) progress.device_seconds = read<double>(state, kDeviceSeconds);
  if (state.contains(kRecentNonfiniteSteps))
    progress.recent_nonfinite_steps = steps_in(state.at(kRecentNonfiniteSteps));
  return progress;
}

}  // namespace ganscale::training
