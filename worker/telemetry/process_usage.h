#pragma once

#include <sys/types.h>

#include <optional>

namespace ganscale::telemetry {

inline constexpr const char* kCpuSecondsHelp = "User and system CPU time of the rank's process.";
inline constexpr const char* kResidentMemoryHelp = "Resident memory of the rank's process, bytes.";

/// Resources that a process has used so far.
struct ProcessUsage {
  double cpu_seconds = 0;  ///< user and system, all threads
  double resident_memory_bytes = 0;
};

/// Reads /proc/<process>/stat. Returns nothing if the process is gone.
std::optional<ProcessUsage> process_usage(pid_t process);

}  // namespace ganscale::telemetry
