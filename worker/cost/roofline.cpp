#include "cost/roofline.h"

#include <algorithm>

namespace ganscale::cost {
namespace {

double flops_per_second(Number number, const Device& device, bool tf32) {
  const Reached& reached = device.reached;
  switch (number) {
    case Number::kLowPrecision: return reached.low_precision * device.low_precision_flops;
    case Number::kFloat64: return reached.float64 * device.float64_flops;
    case Number::kFloat32: break;
  }
  return tf32 ? reached.tf32 * device.tf32_flops : reached.float32 * device.float32_flops;
}

/// Returns the time of one operation once it runs.
Time time_of(const Operation& operation, const Device& device, bool tf32) {
  const double moving = operation.bytes / (device.reached.bandwidth * device.memory_bytes);
  const double computing = operation.flops / flops_per_second(operation.number, device, tf32);
  switch (operation.kind) {
    case Kind::kConvolution:
    case Kind::kDataGradient:
    case Kind::kWeightGradient: return {.convolutions = std::max(computing, moving)};
    case Kind::kMatrixProduct: return {.matrix_products = std::max(computing, moving)};
    case Kind::kMemory: return {.memory = moving};
    case Kind::kAllReduce:
    case Kind::kHostRead: break;
  }
  return {};
}

}  // namespace

Time& Time::operator+=(const Time& other) {
  convolutions += other.convolutions;
  matrix_products += other.matrix_products;
  memory += other.memory;
  kernels += other.kernels;
  launches += other.launches;
  return *this;
}

Time Time::operator*(double factor) const {
  return {convolutions * factor, matrix_products * factor, memory * factor, kernels * factor,
          launches * factor};
}

Time time_of(std::span<const Operation> operations, const Device& device,
             const Execution& execution) {
  Time time;
  double host_seconds = 0;  // when the host has given the latest operation to the device
  bool is_ahead = true;     // of the device, by what it did before
  const auto wait_for_host = [&] { time.launches += std::max(0.0, host_seconds - time.total()); };
  for (const Operation& operation : operations) {
    if (!execution.in_graph) {
      host_seconds += operation.launches * device.reached.seconds_of_launch;
      if (!is_ahead) wait_for_host();
    }
    time += time_of(operation, device, execution.tf32);
    time.kernels += operation.launches * device.reached.seconds_of_kernel;
    if (operation.kind != Kind::kHostRead) continue;
    wait_for_host();
    host_seconds = time.total();
    is_ahead = false;
  }
  wait_for_host();
  return time;
}

}  // namespace ganscale::cost
