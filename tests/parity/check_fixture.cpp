#include "parity/check_fixture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::parity {
namespace {

struct Kind {
  std::string_view name;
  double tolerance_float64;
  double tolerance_float32;
  Check check;
  /// How often a number is rounded on its way from what is stored to what is compared with it, where
  /// layers compute in tf32, float16 or bfloat16; 0 where nothing does.
  int roundings = 0;
  bool on_gpu = true;
};

constexpr std::array kKinds = {
    Kind{"ada_augment", 1e-6, 1e-3, check_ada_augment},
    Kind{"biggan_trace", 1e-9, 1e-4, check_biggan_trace},
    Kind{"metrics", 1e-6, 1e-5, check_metrics, 0, false},
    Kind{"optimizers", 1e-9, 1e-5, check_optimizers},
    Kind{"r3gan_trace", 1e-6, 1e-4, check_r3gan_trace},
    // A modulated convolution: its input, styles, their product, weight, result, that filtered,
    // demodulation, their product.
    Kind{"stylegan2_ops", 1e-9, 1e-5, check_stylegan2_ops, 8},
    // To logits of 32 x 32 pixels: 9 in each of the generator's 7 convolutions, 4 in each of the
    // discriminator's 8, and 5 in an image's.
    Kind{"stylegan2_trace", 1e-6, 1e-4, check_stylegan2_trace, 100},
    Kind{"stylegan3_ops", 1e-9, 1e-5, check_stylegan3_ops},
    Kind{"stylegan3_trace", 1e-6, 1e-4, check_stylegan3_trace},
};

const Kind& kind_of(const checkpoint::Safetensors& fixture, const std::filesystem::path& file) {
  const auto name = fixture.metadata.find("kind");
  if (name == fixture.metadata.end()) {
    throw DataError("no fixture, its metadata has no kind: " + file.string());
  }
  const auto found = std::ranges::find(kKinds, name->second, &Kind::name);
  if (found != kKinds.end()) return *found;
  std::string known;
  for (const Kind& kind : kKinds) known.append(" ").append(kind.name);
  throw ConfigError("fixtures of this kind are not supported: " + name->second + ": " +
                    file.string() + " (supported:" + known + ")");
}

bool is_computed(const Kind& kind, const Arithmetic& arithmetic) {
  return (arithmetic.device.is_cpu() || kind.on_gpu) &&
         (arithmetic.roundoff == 0 || kind.roundings > 0);
}

/// Independent roundings add up as the steps of a random walk do; twice that bounds the largest of
/// many.
double tolerance_of(const Kind& kind, const Arithmetic& arithmetic) {
  if (arithmetic.is_float64()) return kind.tolerance_float64;
  if (arithmetic.roundoff == 0) return kind.tolerance_float32;
  return 2 * std::sqrt(kind.roundings) * arithmetic.roundoff;
}

}  // namespace

bool check_fixture(const std::filesystem::path& file, std::ostream& out,
                   const std::vector<Arithmetic>& arithmetics) {
  const auto fixture = checkpoint::read_safetensors(file);
  const Kind& kind = kind_of(fixture, file);
  bool passed = true;
  for (const Arithmetic& arithmetic : arithmetics) {
    const std::string title = file.filename().string() + ": " + std::string(kind.name) + " in " +
                              arithmetic.name + (arithmetic.device.is_cpu() ? "" : " on the GPU");
    if (!is_computed(kind, arithmetic)) {
      out << title << ": not computed so\n";
      continue;
    }
    Report report(tolerance_of(kind, arithmetic));
    device::allow_tf32(arithmetic.tf32);
    kind.check(fixture, arithmetic, report);
    report.print(out, title);
    passed &= report.passed();
  }
  return passed;
}

}  // namespace ganscale::parity
