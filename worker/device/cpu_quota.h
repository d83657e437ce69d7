#pragma once

#include <filesystem>
#include <optional>

namespace ganscale::device {

/// Returns how many CPUs' time the control groups of this process allow it, as the limit of a
/// container does: the least of its group and of those above, of version 2 (cpu.max) or 1
/// (cpu.cfs_quota_us). Nothing without a limit. `root`: where /proc and /sys are.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// Returns how many cores this process may keep busy, at least 1: those that it may run on, but no
/// more than its quota, rounded up.
int usable_cores();

}  // namespace ganscale::device
