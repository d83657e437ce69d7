#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ganscale::config {

/// Where a value was written: a file and its line, or the `--set` that gave it.
struct Location {
  std::string origin;
  int line = 0;  ///< starts at 1; 0 if there are no lines
  std::string text() const { return line > 0 ? origin + ":" + std::to_string(line) : origin; }
};

/// A value of a configuration and where it was written.
struct Node {
  struct Entry;
  using Map = std::vector<Entry>;  // in file order
  using List = std::vector<Node>;
  std::variant<std::string, List, Map> value;  ///< a scalar's text, a list or a map
  Location location;
  bool is_default = false;  ///< of a preset: it may be a key that the configuration has no use for

  const Map* map() const { return std::get_if<Map>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  const std::string* scalar() const { return std::get_if<std::string>(&value); }
};

/// A key of a map and its value.
struct Node::Entry {
  std::string key;
  Node value;
};

/// Parses YAML text whose root is a map. `origin` names it in errors.
/// Throws ConfigError with origin and line: not YAML, a duplicate key, not a map, a second
/// document.
Node parse_yaml(std::string_view text, const std::string& origin);

/// Reads a YAML file. Throws ConfigError like parse_yaml(), or if the file can't be read.
Node read_yaml_file(const std::string& path);

/// Turns `--set data.path=/x` into the map {data: {path: /x}}. The value is YAML.
/// Throws UsageError unless it has the form key[.key]=value.
Node parse_assignment(const std::string& assignment);

/// Returns the map {data: {path: value}} for the key data.path, with the value's location
/// throughout.
Node nest(std::string_view dotted_key, Node value);

/// Marks a value and all within it as Node::is_default.
void mark_as_default(Node& node);

/// Merges `over` into `base`: maps key by key; anything else is replaced.
void overlay(Node& base, const Node& over);

}  // namespace ganscale::config
