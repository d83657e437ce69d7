#pragma once

#include <ctime>
#include <string>

namespace ganscale {

/// Returns a time in UTC, such as 2026-11-24T21:07:30Z.
///
/// format: of strftime(), for a text of at most 47 bytes.
std::string utc_text(std::time_t seconds, const char* format = "%Y-%m-%dT%H:%M:%SZ");

}  // namespace ganscale
