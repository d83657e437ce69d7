#pragma once

#include "config/section.h"

namespace ganscale::planning {

/// Read a number over its default, and refuse one that is not above 0, or is negative. Throw
/// ConfigError with the key.
void read_positive(config::Section& in, std::string_view key, double& value, std::string_view what);
void read_not_negative(config::Section& in, std::string_view key, double& value,
                       std::string_view what);

}  // namespace ganscale::planning
