#pragma once

#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller {

/// Reads every document of a YAML (or JSON) text; empty documents are left out. A plain scalar is
/// null, a boolean or a decimal number if the worker reads it so (yes, no, on and off are booleans,
/// too), and else text, as keys and quoted scalars always are.
/// Throws ConfigError with `origin` and the line.
std::vector<Json> read_yaml(const std::string& text, const std::string& origin);

/// Reads a file of YAML. Throws ConfigError as read_yaml, or if it is empty or can't be read.
std::vector<Json> read_yaml_file(const std::string& path);

/// Writes a value as YAML in block style, keys in order, texts of several lines as literal
/// blocks. Texts that kubectl would take for another value are in quotes.
std::string to_yaml(const Json& value);

}  // namespace ganscale::controller
