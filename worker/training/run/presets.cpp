#include "training/run/presets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "base/joined.h"
#include "config/section.h"
#include "config/units.h"
#include "models/model_table.h"
#include "training/run/built_in_presets.h"

namespace ganscale::training {
namespace {

constexpr std::string_view kModelPreset = "model.preset";
constexpr std::string_view kBatch = "training.batch";
constexpr std::string_view kStddevGroup = "model.mbstd_group";

/// Returns the value at a dotted key, if it is there.
const config::Node* find_node(const config::Node& root, std::string_view dotted_key) {
  const config::Node* node = &root;
  for (const auto word : std::views::split(dotted_key, '.')) {
    const auto* map = node->map();
    if (map == nullptr) return nullptr;
    const auto found = std::ranges::find(*map, std::string_view(word.begin(), word.end()),
                                         &config::Node::Entry::key);
    if (found == map->end()) return nullptr;
    node = &found->value;
  }
  return node;
}

/// Returns the scalar at a dotted key, if it is there.
const std::string* find_scalar(const config::Node& root, std::string_view dotted_key) {
  const config::Node* node = find_node(root, dotted_key);
  return node == nullptr ? nullptr : node->scalar();
}

std::optional<int> positive_integer(const config::Node& root, std::string_view dotted_key) {
  const std::string* text = find_scalar(root, dotted_key);
  if (text == nullptr) return std::nullopt;
  const auto value = config::parse_integer(*text);
  if (value && *value > 0 && *value < 1 << 30) return static_cast<int>(*value);
  config::Section(root).fail(dotted_key, "model.preset needs a positive integer: " + *text);
}

/// Puts what `auto` computes of the run and the number of its ranks over its preset.
void choose_automatically(config::Node& preset, const config::Node& run, int world_size) {
  const Resolution resolution = config::Section(run).section("model").get_resolution(
      "resolution", models::ModelConfig().resolution, "");
  const auto pixels = static_cast<double>(resolution.pixels());
  const int shorter = resolution.shorter_side();
  const auto per_rank = static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::clamp(4096 / std::sqrt(pixels), 1.0, 32.0))));
  const int wanted = std::min(world_size * per_rank, 64);
  const int batch = positive_integer(run, kBatch).value_or(std::max(wanted, world_size));
  const auto put = [&](std::string_view key, double value) {
    config::overlay(preset, config::nest(key, {config::format_number(value), preset.location,
                                               /*is_default=*/true}));
  };
  const double learning_rate = shorter >= 1024 ? 0.002 : 0.0025;
  put("model.channel_base", shorter >= 512 ? 32768 : 16384);
  put(kStddevGroup, std::clamp(batch / world_size, 1, 4));
  put(kBatch, batch);
  put("generator.optimizer.learning_rate", learning_rate);
  put("generator.ema_kimg", batch * 10.0 / 32);
  put("discriminator.optimizer.learning_rate", learning_rate);
  put("discriminator.r1_gamma", 0.0002 * pixels / batch);
}

/// Returns the preset that a key names, if it names one.
std::optional<config::Node> find_preset(const config::Node& root, std::string_view key,
                                        const PresetTexts& texts) {
  const std::string* name = find_scalar(root, key);
  if (name == nullptr || *name == "none") return std::nullopt;
  const auto found = texts.find(*name);
  if (found != texts.end()) {
    auto preset = config::parse_yaml(found->second, "preset " + *name);
    config::mark_as_default(preset);
    return preset;
  }
  config::Section(root).fail(key,
                             "expected one of " + joined(std::views::keys(texts)) + ": " + *name);
}

/// Returns the page of a model's presets, which related models share; empty if it has none.
std::string_view presets_page(const std::string* model) {
  if (model == nullptr) return {};
  const models::ModelTable table = models::model_table();
  const auto found = std::ranges::find(table, *model, &models::Model::name);
  return found == table.end() ? std::string_view() : found->traits.presets_page;
}

/// Related models may exchange their presets; another model would be trained with settings that were
/// not meant for it.
void require_related_model(const config::Node& root, const config::Node& preset) {
  const std::string* wanted = find_scalar(root, "model.name");
  const std::string* own = find_scalar(preset, "model.name");
  const std::string_view page = presets_page(wanted);
  if (page.empty() || own == nullptr || page == presets_page(own)) return;
  config::Section(root).fail(kModelPreset, *find_scalar(root, kModelPreset) + " is a preset of " +
                                               *own + ", but model.name is " + *wanted +
                                               "; leave out model.name, or use a preset of " +
                                               std::string(page));
}

/// Uses the values of a preset where the configuration has none.
void lay_under(config::Node& root, config::Node preset) {
  config::overlay(preset, root);
  root = std::move(preset);
}

void apply_preset_of_model(config::Node& root, int world_size) {
  std::optional<config::Node> preset = find_preset(root, kModelPreset, model_presets());
  if (!preset) return;
  apply_preset_of_model(*preset, world_size);
  require_related_model(root, *preset);
  if (names_auto(root)) choose_automatically(*preset, root, world_size);
  lay_under(root, *std::move(preset));
}

/// Turns off what presets do for networks at the start of their training, if the run begins with
/// trained ones: the average would be discarded in the first step, and a blur would hide details
/// that they know. An adaptive p reaches its level sooner.
///
/// Source: `--resume` of the public implementations of StyleGAN2-ADA and StyleGAN3.
void begin_with_trained_networks(config::Node& root) {
  const std::string* weights = find_scalar(root, "training.resume_weights");
  if (weights == nullptr || weights->empty()) return;
  auto defaults = config::parse_yaml(
      "generator: {ema_ramp_up: 0, ema_start_kimg: 0}\naugment: {blur_sigma: 0, speed_kimg: 100}\n",
      "the defaults with training.resume_weights");
  config::mark_as_default(defaults);
  lay_under(root, std::move(defaults));
}

}  // namespace

bool names_auto(const config::Node& root) {
  const std::string* preset = find_scalar(root, kModelPreset);
  return preset != nullptr && *preset == "auto";
}

bool keep_choices(config::Node& root, const config::Node& begun) {
  if (!names_auto(root) || !names_auto(begun)) return false;
  const auto own_batch = positive_integer(root, kBatch);
  if (own_batch && own_batch != positive_integer(begun, kBatch)) return false;
  bool keeps = false;
  for (const std::string_view key : {kBatch, kStddevGroup}) {
    const config::Node* chosen = find_node(begun, key);
    if (chosen == nullptr || find_node(root, key) != nullptr) continue;
    lay_under(root, config::nest(key, *chosen));
    keeps = true;
  }
  return keeps;
}

void apply_presets(config::Node& root, int world_size) {
  begin_with_trained_networks(root);
  if (auto preset = find_preset(root, "preset", run_presets())) {
    lay_under(root, *std::move(preset));
  }
  apply_preset_of_model(root, world_size);
}

void read_preset(config::Section& in) {
  std::vector<std::string> names = {"none"};
  std::ranges::copy(std::views::keys(run_presets()), std::back_inserter(names));
  in.get_choice("preset", "none", std::move(names),
                "defaults of other keys, for any model; see docs/optimization.md");
}

}  // namespace ganscale::training
