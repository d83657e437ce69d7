#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace ganscale::wire {

/// How far the training of a label is: `state` in the files label.json and labels.json.
enum class LabelStage { kWaiting, kTraining, kDone, kOutOfBudget, kFailed };

inline constexpr std::array<std::pair<LabelStage, std::string_view>, 5> kLabelStages{
    {{LabelStage::kWaiting, "waiting"},
     {LabelStage::kTraining, "training"},
     {LabelStage::kDone, "done"},
     {LabelStage::kOutOfBudget, "out_of_budget"},
     {LabelStage::kFailed, "failed"}}};

/// Returns whether there is a usable generator.
constexpr bool is_trained(LabelStage stage) {
  return stage == LabelStage::kDone || stage == LabelStage::kOutOfBudget;
}

/// Returns the name in the files.
std::string_view name(LabelStage stage);

/// Returns the stage of a name; one that is not in the table means waiting.
LabelStage label_stage_of(std::string_view name);

/// Write and read the name.
void to_json(nlohmann::json& json, LabelStage stage);
void to_json(nlohmann::ordered_json& json, LabelStage stage);
void from_json(const nlohmann::json& json, LabelStage& stage);
void from_json(const nlohmann::ordered_json& json, LabelStage& stage);

}  // namespace ganscale::wire
