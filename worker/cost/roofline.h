#pragma once

#include <span>

#include "cost/device_table.h"
#include "cost/operation.h"

namespace ganscale::cost {

/// How operations are given to a device.
struct Execution {
  bool in_graph = false;  ///< replayed as a CUDA graph
  bool tf32 = false;      ///< float32 products may be rounded to TF32
};

/// The seconds that a device takes, by where they are spent.
struct Time {
  double convolutions = 0;
  double matrix_products = 0;
  double memory = 0;
  double kernels = 0;   ///< to begin and to end
  double launches = 0;  ///< nothing runs: the device waits for the host

  double total() const { return convolutions + matrix_products + memory + kernels + launches; }
  Time& operator+=(const Time& other);
  Time operator*(double factor) const;
};

/// Estimates the time that a device takes for these operations in their order, by what training
/// reaches of it (Device::reached):
///
/// - convolutions and matrix products at a share of the peak of their type, but no faster than what
///   they read and write;
/// - everything else at a share of the memory's bandwidth;
/// - a time for each kernel to begin and to end, in which it does not fill the device;
/// - outside a CUDA graph the device waits for the host if its launches take longer in all: at first
///   the host is ahead. After a kHostRead it is behind, and the device waits for each launch that
///   comes later than the device is done;
/// - all-reduces are hidden behind the rest: links are not a property of a device.
///
/// Source: the roofline of Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785.
Time time_of(std::span<const Operation> operations, const Device& device,
             const Execution& execution);

}  // namespace ganscale::cost
