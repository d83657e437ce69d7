#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ganscale::checkpoint {

/// Returns the name of the checkpoint after so many images: kimg-004200, or kimg-000001.536 between
/// two thousands. Up to 999,999 kimg the order of the names is the order of the counts.
std::string checkpoint_name(std::int64_t images_seen);

/// Returns the count of images of a name that checkpoint_name() made, nothing for any other.
std::optional<std::int64_t> images_of_checkpoint_name(std::string_view name);

}  // namespace ganscale::checkpoint
