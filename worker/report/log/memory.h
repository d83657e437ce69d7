#pragma once

#include <cstdint>
#include <string_view>

namespace ganscale::report {

/// Returns the resident memory of this process; 0 if it is not known.
std::int64_t resident_memory_bytes();

/// Returns a field of /proc/<pid>/status in bytes: `VmRSS:    1234 kB`. 0 if it is missing.
std::int64_t parse_status_bytes(std::string_view status, std::string_view field);

}  // namespace ganscale::report
