#pragma once

#include <cstdint>

namespace ganscale::training {

/// Returns whether an action is due that is to happen every `every_kimg`: whether a multiple of it
/// is in (before, after]. 0 is never.
constexpr bool is_due(double every_kimg, std::int64_t images_before, std::int64_t images_after) {
  if (every_kimg <= 0) return false;
  const double every_images = every_kimg * 1000;
  return static_cast<std::int64_t>(static_cast<double>(images_after) / every_images) >
         static_cast<std::int64_t>(static_cast<double>(images_before) / every_images);
}

}  // namespace ganscale::training
