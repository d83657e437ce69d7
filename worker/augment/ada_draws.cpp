#include "augment/ada_draws.h"

#include <algorithm>

#include "kernels/counter_random/counter_random.h"

namespace ganscale::augment {
namespace {

constexpr std::uint32_t kSitesOfAUse = 4;

template <std::size_t kCount>
void read_row(const at::Tensor& rows, std::int64_t row, std::array<double, kCount>& out) {
  std::copy_n(rows.const_data_ptr<double>() + row * kCount, kCount, out.begin());
}

}  // namespace

DrawSites::DrawSites(Use use)
    : gates(static_cast<std::uint32_t>(use) * kSitesOfAUse),
      uniforms(gates + 1),
      normals(gates + 2),
      pixels(gates + 3) {}

std::vector<AdaDraws> random_ada_draws(const ImageRandom& images, Use use,
                                       std::int64_t image_count) {
  const DrawSites sites(use);
  const auto row = [&](std::size_t length) {
    return std::array{image_count, static_cast<std::int64_t>(length)};
  };
  const auto gates = kernels::random_uniform(images, Stream::kAugment, sites.gates,
                                             row(gate::kCount), at::kDouble);
  const auto uniforms = kernels::random_uniform(images, Stream::kAugment, sites.uniforms,
                                                row(uniform::kCount), at::kDouble);
  const auto normals = kernels::random_normal(images, Stream::kAugment, sites.normals,
                                              row(normal::kCount), at::kDouble);
  std::vector<AdaDraws> draws(static_cast<std::size_t>(image_count));
  for (std::int64_t i = 0; i < image_count; ++i) {
    read_row(gates, i, draws[i].gates);
    read_row(uniforms, i, draws[i].uniforms);
    read_row(normals, i, draws[i].normals);
  }
  return draws;
}

}  // namespace ganscale::augment
