#include "cost/device_table.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"

namespace ganscale::cost {
namespace {

constexpr double kTera = 1e12;

constexpr MatrixUnits kVolta{.rows = 8, .columns = 8, .depth_bytes = 8};
constexpr MatrixUnits kAmpere{.rows = 16, .columns = 8, .depth_bytes = 32};
constexpr MatrixUnits kHopper{.rows = 64, .columns = 8, .depth_bytes = 32};
constexpr MatrixUnits kTpu{.rows = 8, .columns = 128, .depth_bytes = 512};
constexpr MatrixUnits kCpu{.rows = 1, .columns = 16, .depth_bytes = 4, .has_float32 = true};

// Measured on an H200 (docs/performance.md): fitted to phases of StyleGAN2, config-f at 256 x 256,
// with 32 and with 2 images per step in bf16, to steps with 16 and 2 in TF32, and to BigGAN's
// launches, on a virtual machine. The H100 has the same chip, but other memory, whose share is
// assumed.
constexpr Reached kByHopper{
    .low_precision = 0.97, .tf32 = 0.77, .seconds_of_kernel = 5e-6, .seconds_of_launch = 25e-6};
constexpr Reached by_h200() {
  Reached reached = kByHopper;
  reached.bandwidth = 0.65;
  return reached;
}

// NVIDIA's data sheets of the SXM modules; float64 in tensor cores. A V100 has no TF32. In low
// precision a Hopper does not reach the 989 TFLOP/s of its sheet: its power limit lowers the clock.
// The 790 here are what large matrix products reach; TF32 is half of it, as on every card.
// A TPU v3 is one of two cores of a chip, which by default rounds the factors of float32 products
// to bf16; with all bits they take six. A CPU core does 16 multiplications and additions of 32 bits
// in each of 3 * 10^9 cycles a second, and none in 16 bits.
constexpr std::array<Device, 6> kDevices = {{
    {"V100", 125 * kTera, 15.7 * kTera, 15.7 * kTera, 7.8 * kTera, 0.9 * kTera, kVolta},
    {"A100", 312 * kTera, 156 * kTera, 19.5 * kTera, 19.5 * kTera, 2.0 * kTera, kAmpere},
    {"H100", 790 * kTera, 395 * kTera, 67 * kTera, 67 * kTera, 3.35 * kTera, kHopper, kByHopper},
    {"H200", 790 * kTera, 395 * kTera, 67 * kTera, 67 * kTera, 4.8 * kTera, kHopper, by_h200()},
    {"TPU-v3", 61.5 * kTera, 61.5 * kTera, 10 * kTera, 1 * kTera, 0.45 * kTera, kTpu},
    {"CPU-core", 0.096 * kTera, 0.096 * kTera, 0.096 * kTera, 0.048 * kTera, 0.02 * kTera, kCpu},
}};

}  // namespace

std::span<const Device> devices() { return kDevices; }

std::string names_of_devices() { return joined(kDevices | std::views::transform(&Device::name)); }

const Device& device_of_name(std::string_view name) {
  const auto found = std::ranges::find(kDevices, name, &Device::name);
  if (found != kDevices.end()) return *found;
  throw UsageError("no such device: " + std::string(name) + " (known: " + names_of_devices() + ")");
}

}  // namespace ganscale::cost
