#include "device/gpu_generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <vector>

#include "base/error.h"

namespace ganscale::device {
namespace {

/// The kernels for one architecture.
struct Kernels {
  ComputeCapability capability;
  bool runs_on_later = false;  ///< generations, too

  bool run_on(ComputeCapability gpu) const {
    if (gpu.major == capability.major) return gpu.minor >= capability.minor;
    return runs_on_later && gpu.major > capability.major;
  }
};

/// Returns nothing if the text names none: then it is "native" or "all".
std::vector<Kernels> kernels_of(std::string_view architectures) {
  std::vector<Kernels> all;
  for (const auto part : std::views::split(architectures, ',')) {
    const std::string_view text(part.begin(), part.end());
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    all.push_back({.capability = {number / 10, number % 10},
                   .runs_on_later = std::string_view(end, text.data() + text.size()) != "-real"});
  }
  return all;
}

}  // namespace

void require_kernels_for(const std::string& gpu, ComputeCapability capability,
                         std::string_view architectures) {
  const auto all = kernels_of(architectures);
  const bool runs =
      std::ranges::any_of(all, [&](const Kernels& kernels) { return kernels.run_on(capability); });
  if (runs || all.empty()) return;
  throw ConfigError(fmt::format(
      "this build has no kernels for the GPU {}, of compute capability {}.{}; they are "
      "for {}. Use another GPU, or compile with -DCMAKE_CUDA_ARCHITECTURES={}{} and a "
      "LibTorch that has kernels for it",
      gpu, capability.major, capability.minor, architectures, capability.major, capability.minor));
}

}  // namespace ganscale::device
