#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Where the time of a training goes: what LibTorch's profiler (Kineto) recorded, by kind of
/// operator.
namespace ganscale::profile {

/// An operator, or a kernel of a GPU.
struct Event {
  std::string name;
  std::int64_t begin_ns = 0;  ///< since 1970
  std::int64_t end_ns = 0;
  std::uint64_t track = 0;  ///< the thread, or the stream of a device
  bool on_device = false;
  std::uint64_t correlation = 0;  ///< of an operator
  std::uint64_t caller = 0;       ///< of a kernel: the correlation of the operator that started it
};

/// What was recorded from begin to end.
struct Recording {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t thread = 0;  ///< the one that trains
  std::vector<Event> events = {};
};

}  // namespace ganscale::profile
