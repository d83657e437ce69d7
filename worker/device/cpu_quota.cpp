#include "device/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
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

/// The least of a group and those above. If the path is the host's, a container has its own group
/// at the mount itself.
std::optional<double> least_quota(const fs::path& mount, fs::path path) {
  std::optional<double> least;
  while (true) {
    const auto quota = quota_of(mount / path.relative_path());
    if (quota && (!least || *quota < *least)) least = quota;
    if (!path.has_relative_path()) return least;
    path = path.parent_path();
  }
}

bool has_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  std::optional<double> least;
  for (std::string line; std::getline(groups, line);) {  // 4:cpu,cpuacct:/path, or 0::/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_cpu(controllers)) continue;
    const auto quota = least_quota(mounts / controllers, line.substr(second + 1));
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

int usable_cores() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto quota = cpu_quota();
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota)), 1, cores) : cores;
}

}  // namespace ganscale::device
