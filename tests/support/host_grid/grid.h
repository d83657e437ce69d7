#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/host_grid/cuda_runtime.h"

/// What threads of the host and fibers share as they stand in for threads of a device.
namespace ganscale::host_grid {

constexpr unsigned kLanes = 32;

/// Returns how many lanes the warp has that begins with this thread of a block.
constexpr unsigned lanes_from(unsigned first, unsigned threads) {
  return std::min(kLanes, threads - first);
}

/// What the lanes of a warp pass to each other.
using Passed = std::array<std::uint64_t, kLanes>;

/// wait: returns when every lane has called it.
template <class Wait>
std::uint64_t from_higher_lane(Passed& passed, unsigned lane, unsigned offset, std::uint64_t mine,
                               Wait wait) {
  passed[lane] = mine;
  wait();
  const std::uint64_t theirs = lane + offset < kLanes ? passed[lane + offset] : mine;
  wait();
  return theirs;
}

constexpr unsigned count_of(dim3 threads) { return threads.x * threads.y * threads.z; }

constexpr bool fits_a_device(dim3 blocks, dim3 threads) {
  return blocks.x <= 0x7FFFFFFF && blocks.y <= 65535 && blocks.z <= 65535 &&
         count_of(threads) <= 1024;
}

constexpr dim3 place_of(std::uint64_t number, dim3 in) {
  return {static_cast<unsigned>(number % in.x), static_cast<unsigned>(number / in.x % in.y),
          static_cast<unsigned>(number / in.x / in.y)};
}

}  // namespace ganscale::host_grid
