#include "config/differences.h"

#include <algorithm>

namespace ganscale::config {
namespace {

using Leaves = std::vector<std::pair<std::string, std::string>>;  // dotted key, value

void collect(const Node& node, const std::string& path, Leaves& leaves) {
  if (node.map() == nullptr) {
    leaves.emplace_back(path, text_of(node));
    return;
  }
  for (const auto& [key, value] : *node.map())
    collect(value, path.empty() ? key : path + "." + key, leaves);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> leaves_of(const Node& root) {
  Leaves leaves;
  collect(root, "", leaves);
  return leaves;
}

std::string text_of(const Node& node) {
  if (const auto* scalar = node.scalar()) return *scalar;
  std::string text;
  if (const auto* list = node.list()) {
    for (const auto& item : *list) text += (text.empty() ? "" : ", ") + text_of(item);
    return "[" + text + "]";
  }
  for (const auto& [key, item] : *node.map()) {
    text += (text.empty() ? "" : ", ") + key + ": " + text_of(item);
  }
  return "{" + text + "}";
}

std::vector<std::string> differences(const Node& before, const Node& now) {
  const Leaves old = leaves_of(before);
  const Leaves current = leaves_of(now);
  std::vector<std::string> changed;
  for (const auto& [key, value] : current) {
    const auto same = std::ranges::find(old, key, &Leaves::value_type::first);
    const std::string was = same == old.end() ? "none" : same->second;
    if (was != value) changed.push_back(key + ": " + was + " -> " + value);
  }
  for (const auto& [key, value] : old) {
    if (std::ranges::find(current, key, &Leaves::value_type::first) == current.end())
      changed.push_back(key + ": " + value + " -> none");
  }
  return changed;
}

}  // namespace ganscale::config
