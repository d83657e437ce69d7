#include "wire/label_stage.h"

#include <algorithm>
#include <string>

namespace ganscale::wire {

std::string_view name(LabelStage stage) {
  return std::ranges::find(kLabelStages, stage, &std::pair<LabelStage, std::string_view>::first)
      ->second;
}

LabelStage label_stage_of(std::string_view name) {
  const auto found =
      std::ranges::find(kLabelStages, name, &std::pair<LabelStage, std::string_view>::second);
  return found == kLabelStages.end() ? LabelStage::kWaiting : found->first;
}

void to_json(nlohmann::json& json, LabelStage stage) { json = name(stage); }

void to_json(nlohmann::ordered_json& json, LabelStage stage) { json = name(stage); }

void from_json(const nlohmann::json& json, LabelStage& stage) {
  stage = label_stage_of(json.get<std::string>());
}

void from_json(const nlohmann::ordered_json& json, LabelStage& stage) {
  stage = label_stage_of(json.get<std::string>());
}

}  // namespace ganscale::wire
