#include "training/replica/run_state.h"

#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/formats/label_file.h"
#include "wire/integers.h"

namespace ganscale::training {
namespace {

constexpr const char* kFacts = "facts";
constexpr const char* kProgress = "progress";
constexpr const char* kDeviceSeconds = "device_seconds";
constexpr const char* kLabelProbabilities = "label_probabilities";
constexpr const char* kLabelNames = "label_names";

/// Returns what is under a key. counts: its members that are integers.
template <class Value>
Value read(const nlohmann::ordered_json& state, const char* key,
           std::initializer_list<const char*> counts = {}) {
  try {
    const nlohmann::json json(state.at(key));
    wire::require_integers(json, counts);
    for (const char* count : counts) {
      if (json.at(count) < 0) throw std::invalid_argument(std::string("negative: ") + count);
    }
    return json.get<Value>();
  } catch (const std::exception& error) {
    throw DataError(std::string("the checkpoint's manifest has no valid ") + key + ": " +
                    error.what());
  }
}

}  // namespace

nlohmann::ordered_json to_state(const RunFacts& facts, const Progress& progress) {
  nlohmann::ordered_json state;
  state[kFacts] = nlohmann::json(facts);
  state[kProgress] = nlohmann::json(progress);
  if (progress.device_seconds) state[kDeviceSeconds] = *progress.device_seconds;
  if (!facts.label_probabilities.empty()) state[kLabelProbabilities] = facts.label_probabilities;
  if (!facts.label_names.empty()) state[kLabelNames] = facts.label_names;
  return state;
}

RunFacts facts_in(const nlohmann::ordered_json& state) {
  auto facts = read<RunFacts>(state, kFacts, {"record_count", "label_count", "channels"});
  constexpr int kMostChannels = 3;
  if (facts.label_count > data::kMostLabels || facts.channels < 1 ||
      facts.channels > kMostChannels) {
    throw DataError(
        "the checkpoint's manifest has impossible facts: " + std::to_string(facts.label_count) +
        " labels, " + std::to_string(facts.channels) + " channels");
  }
  if (state.contains(kLabelProbabilities))
    facts.label_probabilities = read<std::vector<double>>(state, kLabelProbabilities);
  if (state.contains(kLabelNames))
    facts.label_names = read<std::vector<std::string>>(state, kLabelNames);
  return facts;
}

Progress progress_in(const nlohmann::ordered_json& state) {
  auto progress = read<Progress>(
      state, kProgress, {"images_seen", "step", "stream_position", "tick", "nonfinite_steps"});
  if (state.contains(kDeviceSeconds)) progress.device_seconds = read<double>(state, kDeviceSeconds);
  return progress;
}

}  // namespace ganscale::training
