// Kind "ada_augment": images and, for each case, <transformation>.percentile<P>.
#include "augment/ada.h"
#include "base/error.h"
#include "parity/check_fixture.h"
#include "support/ada_draws_at.h"

namespace ganscale::parity {
namespace {

/// Applies one transformation of this strength to all images.
at::Tensor transformed(const at::Tensor& images, const std::string& name, double quantile) {
  const auto one =
      augment::ada_transforms(augment::ada_pipeline({name}), /*p=*/1,
                              augment::ada_draws_at(quantile), images.size(2), images.size(3));
  const std::vector<augment::AdaTransforms> all(static_cast<std::size_t>(images.size(0)), one);
  return augment::apply_transforms(images, all, /*noise=*/{});
}

}  // namespace

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
    report.compare(transformation,
                   transformed(arithmetic(images->second), transformation, quantile), expected);
    any = true;
  }
  if (!any) throw DataError("the fixture holds no case: no tensor <transformation>.percentile<P>");
}

}  // namespace ganscale::parity
