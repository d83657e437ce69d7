#include "device/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace ganscale::device {
namespace {

namespace fs = std::filesystem;

std::optional<double> quotient(std::istream& quota_and_period) {
  double quota = 0;
  double period = 0;
  // Version 2 writes "max", version 1 "-1", if there is no limit.
  if (!(quota_and_period >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

/// Of one group, by the files of either version.
std::optional<double> quota_of(const fs::path& group) {
  if (std::ifstream file(group / "cpu.max"); file) return quotient(file);
  std::stringstream both;
  for (const char* name : {"cpu.cfs_quota_us", "cpu.cfs_period_us"}) {
    std::string number;
    std::ifstream(group / name) >> number;
    both << number << ' ';
  }
  return quotient(both);
}

/// Of a list such as "0-3,8": how many it names.
std::optional<double> count_of(std::istream& list) {
  int count = 0;
  for (std::string range; std::getline(list, range, ',');) {
    std::istringstream parts(range);
    int first = 0;
    int last = 0;
    char dash = 0;
    if (!(parts >> first)) return std::nullopt;
    count += parts >> dash >> last ? last - first + 1 : 1;
  }
  if (count < 1) return std::nullopt;
  return count;
}

/// Of one group, by the file of version 2 or 1.
std::optional<double> cpuset_of(const fs::path& group) {
  for (const char* name : {"cpuset.cpus.effective", "cpuset.cpus"}) {
    if (std::ifstream file(group / name); file) return count_of(file);
  }
  return std::nullopt;
}

/// Returns what a group allows; nothing if it has no limit.
using LimitOf = std::optional<double> (*)(const fs::path& group);

std::optional<double> lesser(std::optional<double> one, std::optional<double> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

/// The least of a group and those above. If the path is the host's, a container has its own group
/// at the mount itself.
std::optional<double> least_above(const fs::path& mount, fs::path path, LimitOf limit_of) {
  std::optional<double> least;
  while (true) {
    least = lesser(least, limit_of(mount / path.relative_path()));
    if (!path.has_relative_path()) return least;
    path = path.parent_path();
  }
}

bool has(const std::string& controllers, std::string_view name) {
  return ("," + controllers + ",").find("," + std::string(name) + ",") != std::string::npos;
}

/// The least of all groups of this process that have a controller.
std::optional<double> least_limit(const fs::path& root, std::string_view controller,
                                  LimitOf limit_of) {
  std::ifstream groups(root / "proc/self/cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  std::optional<double> least;
  for (std::string line; std::getline(groups, line);) {  // 4:cpu,cpuacct:/path, or 0::/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has(controllers, controller)) continue;
    least = lesser(least, least_above(mounts / controllers, line.substr(second + 1), limit_of));
  }
  return least;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) { return least_limit(root, "cpu", quota_of); }

std::optional<int> cpuset_size(const fs::path& root) {
  const auto size = least_limit(root, "cpuset", cpuset_of);
  if (!size) return std::nullopt;
  return static_cast<int>(*size);
}

int container_cores() {
  const int online = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int cores = std::min(online, cpuset_size().value_or(online));
  const auto quota = cpu_quota();
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores) : cores;
}

int usable_cores() {
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return is_known ? std::min(container_cores(), CPU_COUNT(&allowed)) : container_cores();
}

}  // namespace ganscale::device
