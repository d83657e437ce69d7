#pragma once

#include <cstdint>

namespace ganscale {

/// Returns the smallest multiple of `unit` (at least 1) that is not below `count` (at least 0).
constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace ganscale
