#include "parity/check_fixture.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "device/gpu.h"

namespace ganscale::parity {
namespace {

struct Kind {
  std::string_view name;
  double tolerance_float64;
  double tolerance_float32;
  Check check;
  bool on_gpu = true;
  bool has_products = false;      ///< which tf32 rounds
  bool is_low_precision = false;  ///< has layers that can compute in float16 and bfloat16
};

constexpr std::array kKinds = {
    Kind{"ada_augment", 1e-6, 1e-3, check_ada_augment},
    Kind{"metrics", 1e-6, 1e-5, check_metrics, false},
    Kind{"optimizers", 1e-9, 1e-5, check_optimizers},
    Kind{"stylegan2_ops", 1e-9, 1e-5, check_stylegan2_ops, true, true},
    Kind{"stylegan2_trace", 1e-6, 1e-4, check_stylegan2_trace, true, true, true},
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
  return (arithmetic.device.is_cpu() || kind.on_gpu) && (!arithmetic.tf32 || kind.has_products) &&
         (!arithmetic.is_low_precision() || kind.is_low_precision);
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
    Report report(arithmetic.is_float64() ? kind.tolerance_float64
                                          : kind.tolerance_float32 * arithmetic.allowance);
    device::allow_tf32(arithmetic.tf32);
    kind.check(fixture, arithmetic, report);
    report.print(out, title);
    passed &= report.passed();
  }
  return passed;
}

}  // namespace ganscale::parity
