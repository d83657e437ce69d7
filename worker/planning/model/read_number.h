#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/section.h"

namespace ganscale::planning {

/// Read a number over its default, and refuse one that is not above 0, or is negative. Throw
/// ConfigError with the key.
void read_positive(config::Section& in, std::string_view key, double& value, std::string_view what);
void read_not_negative(config::Section& in, std::string_view key, double& value,
                       std::string_view what);

/// Returns what a parser reads where no file says anything: its keys, defaults and documentation.
std::vector<config::Entry> entries_read_by(const std::function<void(config::Section)>& parse);

/// Returns the numbers that a parser has read, by their keys.
nlohmann::ordered_json to_json(const std::vector<config::Entry>& numbers);

}  // namespace ganscale::planning
