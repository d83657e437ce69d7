#include "gan_training/spec/mount_paths.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace ganscale::controller::gan_training {
namespace {

constexpr std::array<std::string_view, 4> kMounts{"/tmp", "/dev/shm", "/root/.ssh",
                                                  "/home/mpiuser/.ssh"};
// No folder can be made in them: what is mounted there is read-only.
constexpr std::array<std::string_view, 2> kFolders{"/etc/ganscale", "/etc/mpi"};

}  // namespace

std::string normal_mount(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

bool is_mount_of_operators(const std::string& path) {
  const std::string normal = normal_mount(path);
  const bool is_inside = std::ranges::any_of(kFolders, [&](std::string_view folder) {
    return normal == folder || normal.starts_with(std::string(folder) + "/");
  });
  return is_inside || std::ranges::find(kMounts, normal) != kMounts.end();
}

}  // namespace ganscale::controller::gan_training
