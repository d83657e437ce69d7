#include "training/run/presets.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>

#include "base/joined.h"
#include "config/section.h"
#include "config/units.h"
#include "training/run/built_in_presets.h"

namespace ganscale::training {
namespace {

/// Returns the scalar at section.key, if it is there.
const std::string* find_scalar(const config::Node& root, std::string_view section,
                               std::string_view key) {
  const config::Node* node = &root;
  for (const std::string_view name : {section, key}) {
    const auto* map = node->map();
    if (map == nullptr) return nullptr;
    const auto found = std::ranges::find(*map, name, &config::Node::Map::value_type::first);
    if (found == map->end()) return nullptr;
    node = &found->second;
  }
  return node->scalar();
}

std::optional<int> positive_integer(const config::Node& root, std::string_view section,
                                    std::string_view key) {
  const std::string* text = find_scalar(root, section, key);
  if (text == nullptr) return std::nullopt;
  const auto value = config::parse_integer(*text);
  if (value && *value > 0 && *value < 1 << 30) return static_cast<int>(*value);
  config::Section(root).fail(std::string(section) + "." + std::string(key),
                             "model.preset needs a positive whole number: " + *text);
}

/// Puts what `auto` computes of the run and the number of its ranks over its preset.
void choose_automatically(config::Node& preset, const config::Node& run, int world_size) {
  const int resolution = positive_integer(run, "model", "resolution").value_or(256);
  const int wanted = std::min(world_size * std::min(4096 / resolution, 32), 64);
  const int batch =
      positive_integer(run, "training", "batch").value_or(std::max(wanted, world_size));
  const auto put = [&](std::string_view key, double value) {
    config::overlay(preset, config::nest(key, {config::format_number(value), preset.location}));
  };
  const double learning_rate = resolution >= 1024 ? 0.002 : 0.0025;
  put("model.channel_base", resolution >= 512 ? 32768 : 16384);
  put("model.mbstd_group", std::clamp(batch / world_size, 1, 4));
  put("training.batch", batch);
  put("generator.optimizer.learning_rate", learning_rate);
  put("generator.ema_kimg", batch * 10.0 / 32);
  put("discriminator.optimizer.learning_rate", learning_rate);
  put("discriminator.r1_gamma", 0.0002 * resolution * resolution / batch);
}

config::Node read_preset(const config::Node& root, const std::string& name) {
  const auto& texts = built_in_presets();
  const auto found = texts.find(name);
  if (found != texts.end()) return config::parse_yaml(found->second, "preset " + name);
  config::Section(root).fail("model.preset",
                             "expected one of " + joined(std::views::keys(texts)) + ": " + name);
}

}  // namespace

void apply_preset(config::Node& root, int world_size) {
  const std::string* name = find_scalar(root, "model", "preset");
  if (name == nullptr || *name == "none") return;
  config::Node preset = read_preset(root, *name);
  apply_preset(preset, world_size);
  if (*name == "auto") choose_automatically(preset, root, world_size);
  config::overlay(preset, root);
  root = std::move(preset);
}

}  // namespace ganscale::training
