#include "training/replica/run_state.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.h"

namespace ganscale::training {
namespace {

using nlohmann::ordered_json;

ordered_json whole_state() {
  return ordered_json::parse(R"({
    "facts": {"model": "dcgan", "record_count": 70, "label_count": 2, "channels": 1},
    "progress": {"images_seen": 640, "step": 10, "stream_position": 650, "tick": 2,
                 "trained_seconds": 1.5, "nonfinite_steps": 3},
    "device_seconds": 4.5,
    "recent_nonfinite_steps": [7, 9],
    "label_probabilities": [0.75, 0.25],
    "label_names": ["cat", "dog"]})");
}

/// Returns a state with another value of one member of its facts or its progress.
ordered_json state_with(const std::string& part, const std::string& key,
                        const ordered_json& value) {
  ordered_json state = whole_state();
  state[part][key] = value;
  return state;
}

/// Returns a state with another value of one member of its own.
ordered_json state_with(const std::string& key, const ordered_json& value) {
  ordered_json state = whole_state();
  state[key] = value;
  return state;
}

ordered_json state_without(const std::string& part, const std::string& key) {
  ordered_json state = whole_state();
  state[part].erase(key);
  return state;
}

void expect_bad_facts(const std::string& text, const ordered_json& state) {
  expect_error(ExitCode::kData, text, [&] { facts_in(state); });
}

void expect_bad_progress(const std::string& text, const ordered_json& state) {
  expect_error(ExitCode::kData, text, [&] { progress_in(state); });
}

TEST(RunState, HasFactsAndProgress) {
  const RunFacts facts{.model = "dcgan",
                       .record_count = 70,
                       .label_count = 2,
                       .channels = 1,
                       .label_probabilities = {0.75, 0.25},
                       .label_names = {"cat", "dog"}};
  const Progress progress{.images_seen = 640,
                          .step = 10,
                          .stream_position = 650,
                          .tick = 2,
                          .trained_seconds = 1.5,
                          .nonfinite_steps = 3,
                          .recent_nonfinite_steps = {7, 9},
                          .device_seconds = 4.5};
  EXPECT_EQ(nlohmann::json(to_state(facts, progress)).dump(), nlohmann::json(whole_state()).dump());
}

TEST(RunState, GivesTheFacts) {
  const RunFacts facts = facts_in(whole_state());
  EXPECT_EQ(facts.model, "dcgan");
  EXPECT_EQ(facts.record_count, 70);
  EXPECT_EQ(facts.label_count, 2);
  EXPECT_EQ(facts.channels, 1);
  EXPECT_EQ(facts.label_probabilities, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(facts.label_names, (std::vector<std::string>{"cat", "dog"}));
}

TEST(RunState, GivesTheProgress) {
  const Progress progress = progress_in(whole_state());
  EXPECT_EQ(progress.images_seen, 640);
  EXPECT_EQ(progress.step, 10);
  EXPECT_EQ(progress.stream_position, 650);
  EXPECT_EQ(progress.tick, 2);
  EXPECT_EQ(progress.trained_seconds, 1.5);
  EXPECT_EQ(progress.nonfinite_steps, 3);
  EXPECT_EQ(progress.recent_nonfinite_steps, (std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(progress.device_seconds, 4.5);
}

TEST(RunState, LeavesOutWhatIsUnknown) {
  const ordered_json state = to_state({.model = "dcgan", .record_count = 70}, {});
  for (const char* key :
       {"device_seconds", "recent_nonfinite_steps", "label_probabilities", "label_names"})
    EXPECT_FALSE(state.contains(key)) << key;
  EXPECT_TRUE(facts_in(state).label_probabilities.empty());
  EXPECT_TRUE(facts_in(state).label_names.empty());
  EXPECT_FALSE(progress_in(state).device_seconds.has_value());
  EXPECT_TRUE(progress_in(state).recent_nonfinite_steps.empty());
}

TEST(RunState, NeedsEveryFact) {
  expect_bad_facts("the checkpoint's manifest has no valid facts: ", ordered_json::object());
  for (const char* key : {"model", "record_count", "label_count", "channels"})
    expect_bad_facts(std::string("'") + key + "'", state_without("facts", key));
}

TEST(RunState, NeedsEveryMemberOfTheProgress) {
  expect_bad_progress("the checkpoint's manifest has no valid progress: ", ordered_json::object());
  for (const char* key :
       {"images_seen", "step", "stream_position", "tick", "trained_seconds", "nonfinite_steps"})
    expect_bad_progress(std::string("'") + key + "'", state_without("progress", key));
}

TEST(RunState, RefusesFractionsOfWhatIsCounted) {
  for (const std::string key : {"record_count", "label_count", "channels"}) {
    expect_bad_facts("no valid facts: not an integer: " + key, state_with("facts", key, 1.5));
    expect_bad_facts("no valid facts: not an integer: " + key, state_with("facts", key, 1e300));
  }
  for (const std::string key :
       {"images_seen", "step", "stream_position", "tick", "nonfinite_steps"}) {
    expect_bad_progress("no valid progress: not an integer: " + key,
                        state_with("progress", key, 2.0));
  }
}

TEST(RunState, RefusesNegativeCounts) {
  for (const std::string key : {"record_count", "label_count", "channels"})
    expect_bad_facts("no valid facts: negative: " + key, state_with("facts", key, -1));
  for (const std::string key :
       {"images_seen", "step", "stream_position", "tick", "nonfinite_steps"})
    expect_bad_progress("no valid progress: negative: " + key, state_with("progress", key, -1));
}

TEST(RunState, HasCountsFromNothingToTheLargestInteger) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(progress_in(state_with("progress", "images_seen", 0)).images_seen, 0);
  EXPECT_EQ(progress_in(state_with("progress", "images_seen", kMost)).images_seen, kMost);
  const std::uint64_t too_many = static_cast<std::uint64_t>(kMost) + 1;
  expect_bad_progress("no valid progress: out of range: images_seen",
                      state_with("progress", "images_seen", too_many));
  EXPECT_EQ(facts_in(state_with("facts", "record_count", 0)).record_count, 0);
  EXPECT_EQ(facts_in(state_with("facts", "record_count", kMost)).record_count, kMost);
}

TEST(RunState, RefusesImpossibleFacts) {
  EXPECT_EQ(facts_in(state_with("facts", "channels", 3)).channels, 3);
  expect_bad_facts("has impossible facts: 2 labels, 0 channels",
                   state_with("facts", "channels", 0));
  expect_bad_facts("has impossible facts: 2 labels, 4 channels",
                   state_with("facts", "channels", 4));
  expect_bad_facts("has impossible facts: 2 labels, 4294967297 channels",
                   state_with("facts", "channels", 4294967297));
  expect_bad_facts("has impossible facts: 16777217 labels, 1 channels",
                   state_with("facts", "label_count", 16777217));
  expect_bad_facts("has impossible facts: 4294967298 labels, 1 channels",
                   state_with("facts", "label_count", 4294967298));
}

TEST(RunState, HasUpToTheMostLabels) {
  for (const int count : {0, 16777216}) {
    ordered_json state = state_with("facts", "label_count", count);
    state.erase("label_probabilities");
    EXPECT_EQ(facts_in(state).label_count, count);
  }
}

TEST(RunState, HasAProbabilityForEachLabel) {
  EXPECT_EQ(facts_in(state_with("label_probabilities", {1, 0})).label_probabilities,
            (std::vector<double>{1, 0}));
  for (const char* text : {"[]", "[1]", "[0.5, 0.25, 0.25]", "[0, 0]", "[1.5, 0]", "[1, -0.5]"}) {
    expect_bad_facts("has no valid label_probabilities of 2 labels",
                     state_with("label_probabilities", ordered_json::parse(text)));
  }
}

TEST(RunState, RefusesValuesOfOtherTypes) {
  expect_bad_facts("no valid facts: ", state_with("facts", "model", 7));
  for (const char* key : {"record_count", "label_count", "channels"}) {
    expect_bad_facts("no valid facts: ", state_with("facts", key, "1"));
    expect_bad_facts("no valid facts: ", state_with("facts", key, nullptr));
  }
  expect_bad_progress("no valid progress: ", state_with("progress", "step", "10"));
  expect_bad_progress("no valid progress: ", state_with("progress", "trained_seconds", "1.5"));
  expect_bad_progress("no valid progress: ", state_with("progress", "trained_seconds", nullptr));
}

TEST(RunState, RefusesWhatIsNoObject) {
  for (const char* text : {"null", "[]", "7", "\"facts\""}) {
    const auto other = ordered_json::parse(text);
    expect_bad_facts("no valid facts: ", other);
    expect_bad_facts("no valid facts: ", state_with("facts", other));
    expect_bad_progress("no valid progress: ", other);
    expect_bad_progress("no valid progress: ", state_with("progress", other));
  }
}

TEST(RunState, RefusesOptionalValuesOfOtherTypes) {
  for (const char* text : {"null", "0.5", "{\"a\": 1}", "[[]]", "[null]"}) {
    const auto other = ordered_json::parse(text);
    expect_bad_facts("has no valid label_probabilities: ",
                     state_with("label_probabilities", other));
    expect_bad_facts("has no valid label_names: ", state_with("label_names", other));
  }
  expect_bad_facts("has no valid label_probabilities: ",
                   state_with("label_probabilities", {"0.75", "0.25"}));
  expect_bad_facts("has no valid label_names: ", state_with("label_names", {1, 2}));
  for (const char* text : {"null", "\"4.5\"", "[4.5]"}) {
    expect_bad_progress("has no valid device_seconds: ",
                        state_with("device_seconds", ordered_json::parse(text)));
  }
  for (const char* text : {"null", "7", "{\"a\": 1}", "[1.5]", "[1e300]", "[\"7\"]", "[null]"}) {
    expect_bad_progress("has no valid recent_nonfinite_steps: ",
                        state_with("recent_nonfinite_steps", ordered_json::parse(text)));
  }
}

}  // namespace
}  // namespace ganscale::training
