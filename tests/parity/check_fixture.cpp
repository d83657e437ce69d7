#include "parity/check_fixture.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ganscale::parity {
namespace {

struct Kind {
  std::string_view name;
  double tolerance_float64;
  double tolerance_float32;
  Check check;
};

constexpr std::array kKinds = {
    Kind{"ada_augment", 1e-6, 1e-3, check_ada_augment},
    Kind{"metrics", 1e-6, 1e-5, check_metrics},
    Kind{"optimizers", 1e-9, 1e-5, check_optimizers},
    Kind{"stylegan2_ops", 1e-9, 1e-5, check_stylegan2_ops},
    Kind{"stylegan2_trace", 1e-6, 1e-4, check_stylegan2_trace},
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

}  // namespace

bool check_fixture(const std::filesystem::path& file, std::ostream& out) {
  const auto fixture = checkpoint::read_safetensors(file);
  const Kind& kind = kind_of(fixture, file);
  Report in_float64(kind.tolerance_float64);
  Report in_float32(kind.tolerance_float32);
  kind.check(fixture, at::kDouble, in_float64);
  kind.check(fixture, at::kFloat, in_float32);
  const std::string title = file.filename().string() + ": " + std::string(kind.name);
  in_float64.print(out, title + " in float64");
  in_float32.print(out, title + " in float32");
  return in_float64.passed() && in_float32.passed();
}

}  // namespace ganscale::parity
