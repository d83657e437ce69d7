#include "command_line/described_verb.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

namespace ganscale::command_line {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns "text" and "json" of "TEXT:{json,text}", as CLI::IsMember describes its values.
std::vector<std::string> choices_in(const std::string& type) {
  std::smatch found;
  if (!std::regex_search(type, found, std::regex(R"(\{([^{}]*)\})"))) return {};
  std::vector<std::string> choices;
  std::istringstream list(found[1]);
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

DescribedOption describe(const CLI::Option& option) {
  DescribedOption described;
  for (const auto& name : option.get_snames()) described.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) described.names.push_back("--" + name);
  described.description = first_line(option.get_description());
  described.takes_value = option.get_items_expected_max() > 0;
  const std::string type = option.get_type_name();
  described.takes_path = std::regex_search(type, std::regex(R"(\b(FILE|DIR|PATH)\b)"));
  described.choices = choices_in(type);
  return described;
}

DescribedVerb describe(const CLI::App& app, const std::string& path) {
  DescribedVerb described{path, first_line(app.get_description()), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    described.options.push_back(describe(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    described.verbs.push_back(
        describe(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name()));
  }
  return described;
}

/// Returns a verb as it is when it follows another one.
DescribedVerb behind(const std::string& starter, DescribedVerb verb) {
  verb.path = starter + " " + verb.path;
  for (DescribedVerb& each : verb.verbs) each = behind(starter, std::move(each));
  return verb;
}

}  // namespace

std::string DescribedVerb::name() const { return path.substr(path.rfind(' ') + 1); }

DescribedVerb describe(const CLI::App& app) { return describe(app, ""); }

void add_started_verbs(DescribedVerb& program, const std::string& starter,
                       const std::vector<std::string>& verbs) {
  const auto named = [&program](const std::string& path) {
    return std::ranges::find(program.verbs, path, &DescribedVerb::path);
  };
  for (const std::string& verb : verbs)
    named(starter)->verbs.push_back(behind(starter, *named(verb)));
}

std::vector<const DescribedVerb*> all_verbs(const DescribedVerb& verb) {
  std::vector<const DescribedVerb*> all{&verb};
  for (const auto& each : verb.verbs) {
    const auto below = all_verbs(each);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace ganscale::command_line
