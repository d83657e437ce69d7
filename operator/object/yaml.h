#pragma once

#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller {

/// Reads every document of a YAML (or JSON) text; empty documents are left out. Plain scalars get
/// the type that YAML 1.2's core schema gives them, quoted ones are text.
/// Throws ConfigError with `origin` and the line.
std::vector<Json> read_yaml(const std::string& text, const std::string& origin);

/// Reads a file of YAML. Throws ConfigError as read_yaml, or if it is empty or can't be read.
std::vector<Json> read_yaml_file(const std::string& path);

/// Writes a value as YAML in block style, keys in order, long texts as literal blocks.
std::string to_yaml(const Json& value);

}  // namespace ganscale::controller
