#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ganscale::checkpoint {

/// Returns the name of the checkpoint after `images_seen` images: kimg-004200, or kimg-000001.536
/// between multiples of 1000. Up to 999,999 kimg the names sort by count.
std::string checkpoint_name(std::int64_t images_seen);

/// Returns the number of images in a name from checkpoint_name(), or nothing for any other name.
std::optional<std::int64_t> images_of_checkpoint_name(std::string_view name);

/// Returns the absolute path of a checkpoint's or a run's folder, which ends with its name. `folder`
/// may end with a slash, or be ".".
std::filesystem::path path_with_name(const std::filesystem::path& folder);

}  // namespace ganscale::checkpoint
