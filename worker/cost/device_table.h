#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ganscale::cost {

/// What an instruction of a device multiplies at a time, see matrix_units.h.
struct MatrixUnits {
  int rows = 1;
  int columns = 1;
  int depth_bytes = 4;
  bool has_float32 = false;  ///< also without rounding it
};

/// What training reaches of a device's figures. The defaults were assumed before anything was
/// measured: their shares contain what beginning and ending a kernel takes.
struct Reached {
  double low_precision = 0.65;  ///< of the peak, by convolutions and matrix products
  double tf32 = 0.5;
  double float32 = 0.5;
  double float64 = 0.5;
  double bandwidth = 0.75;
  double seconds_of_kernel = 0;     ///< that beginning and ending one adds to its time
  double seconds_of_launch = 6e-6;  ///< of the host, outside a CUDA graph
};

/// What a device does at most, by its maker's figures.
struct Device {
  std::string_view name;
  double low_precision_flops = 0;  ///< per second, bf16 and fp16 in tensor cores, without sparsity
  double tf32_flops = 0;
  double float32_flops = 0;  ///< where TF32 is not allowed
  double float64_flops = 0;
  double memory_bytes = 0;  ///< per second
  MatrixUnits matrix_units = {};
  Reached reached = {};
};

/// All known devices: a line each.
std::span<const Device> devices();

/// Returns their names: "V100, A100, ...".
std::string names_of_devices();

/// Returns a device by its name, such as "H200". Throws UsageError with all names if there is none.
const Device& device_of_name(std::string_view name);

}  // namespace ganscale::cost
