#include <CLI/App.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <ranges>

#include "base/error.h"
#include "cli/verbs.h"
#include "config/schema.h"
#include "models/build_model.h"
#include "training/run/built_in_presets.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::cli {
namespace {

constexpr auto kConfigSchemaExample =
    "\nExample:\n"
    "  ganscale config-schema > worker-schema.json      # for the operator's workerSchema";

using Assignments = std::vector<std::pair<std::string, std::string>>;

void parse(const config::Section& root) { training::parse_run(root, training::schemes()); }

/// Whether a configuration of only these assignments is refused because of the last one.
bool is_refused(const Assignments& assignments) {
  const config::Location nowhere{"schema", 0};
  config::Node root{.value = config::Node::Map{}, .location = nowhere};
  for (const auto& [key, value] : assignments) {
    config::overlay(root, config::parse_assignment(key + "=" + value));
  }
  try {
    parse(config::Section(std::move(root)));
    return false;
  } catch (const ConfigError& error) {
    return std::string(error.what()).find(" " + assignments.back().first + ":") !=
           std::string::npos;
  }
}

/// Whether a model takes images whose height and width are any two of these sides.
bool takes_pairs(const models::Model& model, const std::vector<std::int64_t>& sides) {
  for (const std::int64_t height : sides) {
    for (const std::int64_t width : sides) {
      const std::string pair = "[" + std::to_string(height) + ", " + std::to_string(width) + "]";
      if (is_refused({{"model.name", std::string(model.name)}, {"model.resolution", pair}}))
        return false;
    }
  }
  return true;
}

/// Returns the resolutions of each model, which only its parser knows.
std::vector<config::Restriction> resolutions_of_models() {
  constexpr std::int64_t kMostPixels = 2048;
  std::vector<config::Restriction> restrictions;
  for (const models::Model& model : models::model_table()) {
    config::Restriction restriction{
        .choice = "model.name", .value = std::string(model.name), .key = "model.resolution"};
    if (restrictions.empty()) restriction.default_without = {"name", "preset"};
    std::vector<std::int64_t> sides;
    for (std::int64_t pixels = 1; pixels <= kMostPixels; ++pixels) {
      const Assignments tried{{restriction.choice, restriction.value},
                              {restriction.key, std::to_string(pixels)}};
      if (!is_refused(tried)) sides.push_back(pixels);
    }
    restriction.allowed.assign(sides.begin(), sides.end());
    restriction.allows_pairs = takes_pairs(model, sides);
    restrictions.push_back(std::move(restriction));
  }
  return restrictions;
}

/// Returns the values of choices that a scheme takes, if it refuses some that others take.
std::vector<config::Restriction> choices_of_schemes(const std::vector<config::Entry>& entries) {
  std::vector<config::Restriction> restrictions;
  for (const training::SchemeLine& scheme : training::schemes()) {
    for (const config::Entry& entry : entries) {
      config::Restriction restriction{
          .choice = "scheme.name", .value = scheme.name, .key = entry.path};
      if (entry.path == restriction.choice) continue;
      for (const std::string& word : entry.choices) {
        const Assignments alone{{entry.path, word}};
        const Assignments chosen{{restriction.choice, restriction.value}, {entry.path, word}};
        if (is_refused(alone) || !is_refused(chosen)) restriction.allowed.emplace_back(word);
      }
      if (restriction.allowed.size() < entry.choices.size()) restrictions.push_back(restriction);
    }
  }
  return restrictions;
}

/// Makes a choice of the models' presets, which are applied before any key is read.
void name_presets(std::vector<config::Entry>& entries) {
  const auto preset = std::ranges::find(entries, "model.preset", &config::Entry::path);
  check(preset != entries.end(), "models have presets");
  preset->type = "choice";
  preset->choices = {"none"};
  std::ranges::copy(std::views::keys(training::model_presets()),
                    std::back_inserter(preset->choices));
}

ExitCode print_schema() {
  auto entries = config::all_entries(parse);
  auto restrictions = resolutions_of_models();
  std::ranges::move(choices_of_schemes(entries), std::back_inserter(restrictions));
  name_presets(entries);
  std::cout << config::to_json_schema(entries, restrictions);
  return ExitCode::kOk;
}

}  // namespace

void add_config_schema(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("config-schema", "Print the JSON schema of the run configuration");
  verb->footer(kConfigSchemaExample);
  verb->callback([&action] { action = print_schema; });
}

}  // namespace ganscale::cli
