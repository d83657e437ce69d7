#include "config/renamed.h"

#include <array>

namespace ganscale::config {
namespace {

struct Renamed {
  std::string_view section;
  std::string_view key;
  std::string_view value;  ///< that was renamed; empty: the key itself was
  std::string_view new_name;
};

constexpr std::array kRenamed = {
    Renamed{"data", "channels", "grey", "gray"},
    Renamed{"model", "batch_norm", "synchronised", "synchronized"},
    Renamed{"model", "narrow_clamp", "", "conv_clamp"},
    Renamed{"model", "narrow_resolutions", "", "low_precision_resolutions"},
};

void rename(const Renamed& renamed, Node::Map& section) {
  for (auto& [key, node] : section) {
    if (key != renamed.key) continue;
    if (renamed.value.empty()) {
      key = renamed.new_name;
    } else if (node.scalar() != nullptr && *node.scalar() == renamed.value) {
      node.value = std::string(renamed.new_name);
    }
  }
}

}  // namespace

std::optional<std::string_view> new_name_of_value(std::string_view path, std::string_view value) {
  for (const Renamed& renamed : kRenamed) {
    const std::string old = std::string(renamed.section) + "." + std::string(renamed.key);
    if (path == old && value == renamed.value) return renamed.new_name;
  }
  return std::nullopt;
}

std::optional<std::string_view> new_name_of_key(std::string_view path) {
  return new_name_of_value(path, "");
}

Node with_new_names(Node root) {
  if (root.map() == nullptr) return root;
  for (auto& [name, node] : std::get<Node::Map>(root.value)) {
    if (node.map() == nullptr) continue;
    for (const Renamed& renamed : kRenamed) {
      if (name == renamed.section) rename(renamed, std::get<Node::Map>(node.value));
    }
  }
  return root;
}

}  // namespace ganscale::config
