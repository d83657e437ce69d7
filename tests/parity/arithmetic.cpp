#include "parity/arithmetic.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::parity {
namespace {

// tf32 and float16 keep 11 bits of a number, bfloat16 8.
const std::array kArithmetics = {
    Arithmetic{.name = "fp64"},
    Arithmetic{.name = "fp32", .type = at::kFloat},
    Arithmetic{.name = "tf32", .type = at::kFloat, .tf32 = true, .roundoff = 0x1p-11},
    Arithmetic{
        .name = "fp16", .type = at::kFloat, .low_precision_type = at::kHalf, .roundoff = 0x1p-11},
    Arithmetic{.name = "bf16",
               .type = at::kFloat,
               .low_precision_type = at::kBFloat16,
               .roundoff = 0x1p-8},
};

}  // namespace

std::vector<Arithmetic> arithmetics_of(const std::vector<std::string>& names, bool on_gpu) {
  if (on_gpu && device::visible_gpu_count() == 0) {
    throw ConfigError("--device gpu: no GPU is visible, or this build is one without CUDA");
  }
  std::vector<Arithmetic> result;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kArithmetics, name, &Arithmetic::name);
    if (found == kArithmetics.end()) throw ConfigError("no such precision: " + name);
    if (found->tf32 && !on_gpu) throw ConfigError("--precision tf32 needs --device gpu");
    result.push_back(*found);
    if (on_gpu) result.back().device = at::Device(at::kCUDA, 0);
  }
  return result;
}

}  // namespace ganscale::parity
