#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace ganscale {

/// Returns a file of the folder of fixtures and real data, which lies where GANSCALE_SHARED says or
/// next to the checkout, at whose root tests start; nothing when it is not there: skip the test
/// then, and name the path.
inline std::optional<std::filesystem::path> shared_file(const std::filesystem::path& relative) {
  const char* given = std::getenv("GANSCALE_SHARED");
  const std::filesystem::path root = given != nullptr ? given : "../shared";
  if (!std::filesystem::exists(root / relative)) return std::nullopt;
  return root / relative;
}

}  // namespace ganscale
