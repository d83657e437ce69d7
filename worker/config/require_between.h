#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::config {

/// Throws ConfigError with file, line and key if the number of a key is below or above its bounds.
void require_between(const Section& in, const char* key, std::int64_t value, std::int64_t lowest,
                     std::int64_t highest);

}  // namespace ganscale::config
