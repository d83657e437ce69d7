#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace ganscale {

/// Returns a file of the folder of fixtures and real data, which lies beside the checkout or where
/// GANSCALE_SHARED says; nothing when it is not there: skip the test then, and name the path.
inline std::optional<std::filesystem::path> shared_file(const std::filesystem::path& relative) {
  const char* given = std::getenv("GANSCALE_SHARED");
  const std::filesystem::path root =
      given != nullptr
          ? std::filesystem::path(given)
          : std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "../shared";
  if (!std::filesystem::exists(root / relative)) return std::nullopt;
  return root / relative;
}

}  // namespace ganscale
