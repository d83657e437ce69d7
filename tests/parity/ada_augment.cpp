// Kind "ada_augment": images and, for each case, <transformation>.percentile<P>.
#include "augment/ada.h"
#include "base/error.h"
#include "parity/check_fixture.h"

namespace ganscale::parity {

void check_ada_augment(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report) {
  constexpr std::string_view kSeparator = ".percentile";
  const auto images = fixture.tensors.find("images");
  if (images == fixture.tensors.end()) throw DataError("the fixture lacks a tensor: images");
  bool any = false;
  for (const auto& [name, expected] : fixture.tensors) {
    const auto end = name.find(kSeparator);
    if (end == std::string::npos) continue;
    const auto transformation = name.substr(0, end);
    const double quantile = std::stod(name.substr(end + kSeparator.size()));
    const auto ours = augment::augment_ada_at(arithmetic(images->second),
                                              augment::ada_pipeline({transformation}), quantile);
    report.compare(transformation, ours, expected);
    any = true;
  }
  if (!any) throw DataError("the fixture holds no case: no tensor <transformation>.percentile<P>");
}

}  // namespace ganscale::parity
