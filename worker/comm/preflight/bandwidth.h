#pragma once

#include <c10/core/Device.h>

#include "comm/group/group.h"

namespace ganscale::comm {

/// Measures the all-reduce of a group, of tensors on `device`. All ranks call it; each gets the same.
///
/// The size grows until an all-reduce takes a tenth of a second, at most to 256 MiB: the whole
/// measurement takes seconds at most, unless the network is slower than a megabyte per second.
/// Returns: the bus bandwidth in GB/s as nccl-tests define it, 2 (n - 1) / n bytes per second for n
///          ranks, which can be compared between numbers of ranks; the median of several times, each
///          of the slowest rank. 0 for a single rank.
double bus_gigabytes_per_second(Group& group, c10::Device device);

}  // namespace ganscale::comm
