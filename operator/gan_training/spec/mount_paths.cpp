#include "gan_training/spec/mount_paths.h"

#include <algorithm>
#include <filesystem>

namespace ganscale::controller::gan_training {

std::string normal_mount(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

bool stays_in_volume(const std::string& sub_path) {
  const std::filesystem::path path(sub_path);
  return path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

bool is_mount_of_operators(const std::string& path) {
  const std::string normal = normal_mount(path);
  const bool is_inside = std::ranges::any_of(kOwnFolders, [&](std::string_view folder) {
    return normal == folder || normal.starts_with(std::string(folder) + "/");
  });
  return is_inside || std::ranges::find(kOwnMounts, normal) != kOwnMounts.end();
}

}  // namespace ganscale::controller::gan_training
