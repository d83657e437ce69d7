#pragma once

#include <filesystem>
#include <optional>

namespace ganscale::device {

/// Returns how many CPUs' time the control groups of this process allow it, as the limit of a
/// container does: the least of its group and of those above, of version 2 (cpu.max) or 1
/// (cpu.cfs_quota_us). Nothing without a limit. `root`: where /proc and /sys are.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// Returns how many CPUs are in the cpuset of this process's control groups, as Kubernetes' static
/// CPU manager or `docker --cpuset-cpus` sets it. Nothing without one. `root`: as of cpu_quota().
std::optional<int> cpuset_size(const std::filesystem::path& root = "/");

/// Returns how many cores the ranks of this container may keep busy together, at least 1: those of
/// its cpuset, but no more than its quota, rounded up. All of them get the same number, even if
/// mpirun or bind_to_share() has bound each to its own cores.
int container_cores();

/// Returns how many cores this process may keep busy, at least 1: container_cores(), but no more
/// than this thread may run on, as taskset or mpirun restricts it.
int usable_cores();

}  // namespace ganscale::device
