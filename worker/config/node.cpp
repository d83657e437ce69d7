#include "config/node.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <sstream>

#include "base/error.h"
#include "config/yaml_progress.h"

namespace ganscale::config {
namespace {

/// No configuration is deeper, but an alias of a value within itself never ends.
constexpr int kDeepest = 100;

Node convert(const YAML::Node& yaml, const std::string& origin, int depth = 0);

Node::Map convert_map(const YAML::Node& yaml, const std::string& origin, int depth) {
  Node::Map map;
  for (const auto& item : yaml) {
    const auto key = item.first.as<std::string>();
    const bool twice =
        std::any_of(map.begin(), map.end(), [&](const auto& e) { return e.key == key; });
    if (twice) {
      throw ConfigError(Location{origin, item.first.Mark().line + 1}.text() +
                        ": duplicate key: " + key);
    }
    map.push_back({key, convert(item.second, origin, depth)});
  }
  return map;
}

Node convert(const YAML::Node& yaml, const std::string& origin, int depth) {
  if (depth > kDeepest) throw YAML::ParserException(yaml.Mark(), "nested too deeply");
  Node node{.value = std::string(), .location = {origin, yaml.Mark().line + 1}};
  if (yaml.IsMap()) {
    node.value = convert_map(yaml, origin, depth + 1);
  } else if (yaml.IsSequence()) {
    Node::List list;
    for (const auto& item : yaml) list.push_back(convert(item, origin, depth + 1));
    node.value = std::move(list);
  } else if (yaml.IsScalar()) {
    node.value = yaml.Scalar();
  } else {
    node.value = Node::Map{};  // "data:" without a value is an empty section
  }
  return node;
}

/// Returns the document of a text; a null if it is empty. Others must be empty: "---" may also be
/// the last line.
YAML::Node only_document(const std::string& text, const std::string& origin) {
  require_progress(text);
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  for (const auto& other : documents | std::views::drop(1)) {
    if (other.IsNull()) continue;
    throw ConfigError(Location{origin, other.Mark().line + 1}.text() +
                      ": a second document begins here; put all keys into one");
  }
  return documents.empty() ? YAML::Node() : documents.front();
}

/// Calls `change` with a value and all values within it.
template <class Change>
void for_each_value(Node& node, const Change& change) {
  change(node);
  if (auto* map = std::get_if<Node::Map>(&node.value)) {
    for (auto& [key, value] : *map) for_each_value(value, change);
  } else if (auto* list = std::get_if<Node::List>(&node.value)) {
    for (auto& item : *list) for_each_value(item, change);
  }
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& origin) {
  try {
    Node node = convert(only_document(std::string(text), origin), origin);
    if (node.map() == nullptr) throw ConfigError(node.location.text() + ": expected a map of keys");
    return node;
  } catch (const YAML::Exception& error) {
    throw ConfigError(Location{origin, error.mark.line + 1}.text() + ": not YAML: " + error.msg);
  }
}

Node read_yaml_file(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw ConfigError("cannot read the configuration file: " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_yaml(text.str(), path);
}

Node parse_assignment(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--set takes key=value, for example --set data.path=/data/faces: " +
                     assignment);
  }
  const Location location{"--set " + assignment, 0};
  Node node;
  try {
    node = convert(YAML::Load(assignment.substr(equals + 1)), location.origin);
  } catch (const YAML::Exception& error) {
    throw UsageError(location.text() + ": the value is not YAML: " + error.msg);
  }
  for_each_value(node, [&](Node& each) { each.location = location; });
  const std::string key = assignment.substr(0, equals);
  if (("." + key + ".").find("..") != std::string::npos) {
    throw UsageError("--set has an empty key: " + assignment);
  }
  return nest(key, std::move(node));
}

Node nest(std::string_view dotted_key, Node value) {
  const Location location = value.location;
  for (auto end = dotted_key.size(); end != std::string_view::npos;) {
    const auto dot = dotted_key.substr(0, end).rfind('.');
    const auto begin = dot == std::string_view::npos ? 0 : dot + 1;
    std::string word(dotted_key.substr(begin, end - begin));
    value = Node{.value = Node::Map{{std::move(word), std::move(value)}}, .location = location};
    end = dot;
  }
  return value;
}

void mark_as_default(Node& node) {
  for_each_value(node, [](Node& each) { each.is_default = true; });
}

void overlay(Node& base, const Node& over) {
  auto* base_map = std::get_if<Node::Map>(&base.value);
  const auto* over_map = over.map();
  if (base_map == nullptr || over_map == nullptr) {
    base = over;
    return;
  }
  for (const auto& [key, value] : *over_map) {
    const auto same = std::find_if(base_map->begin(), base_map->end(),
                                   [&, &k = key](const auto& e) { return e.key == k; });
    if (same == base_map->end()) {
      base_map->push_back({key, value});
    } else {
      overlay(same->value, value);
    }
  }
}

}  // namespace ganscale::config
