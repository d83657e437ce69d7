#pragma once

#include <map>
#include <string>

namespace ganscale::training {

/// Texts of YAML files by name, compiled in.
using PresetTexts = std::map<std::string, std::string>;

/// Returns configs/presets/*.yaml, each of a model.
const PresetTexts& model_presets();

/// Returns configs/presets/any_model/*.yaml.
const PresetTexts& run_presets();

}  // namespace ganscale::training
