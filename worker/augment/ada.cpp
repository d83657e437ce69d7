#include "augment/ada.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "augment/affine_resample.h"
#include "augment/image_operations.h"
#include "kernels/counter_random/counter_random.h"
#include "kernels/launch/on_device.h"

namespace ganscale::augment {
namespace {

/// Returns one member of every entry.
template <class T>
std::vector<T> each(const std::vector<AdaTransforms>& transforms, T AdaTransforms::* member) {
  std::vector<T> values;
  for (const AdaTransforms& one : transforms) values.push_back(one.*member);
  return values;
}

/// Applies `operation` to the images whose value is not the identity. Most images skip a
/// transformation, and the expensive ones are worth a copy.
template <class T, class Operation>
at::Tensor where_changed(const at::Tensor& x, const std::vector<T>& values, const T& unchanged,
                         Operation operation) {
  std::vector<std::int64_t> changed;
  std::vector<T> of_changed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == unchanged) continue;
    changed.push_back(static_cast<std::int64_t>(i));
    of_changed.push_back(values[i]);
  }
  if (changed.empty()) return x;
  if (changed.size() == values.size()) return operation(x, values);
  const auto index = kernels::sent_to(x.device(), at::tensor(changed));
  return x.index_copy(0, index, operation(x.index_select(0, index), of_changed));
}

at::Tensor add_noise(const at::Tensor& x, const at::Tensor& noise,
                     const std::vector<double>& sigmas) {
  const auto scales = at::tensor(sigmas, at::kDouble).to(x.scalar_type()).view({-1, 1, 1, 1});
  return x + noise * kernels::sent_to(x.device(), scales);
}

std::vector<AdaTransforms> transforms_of(const std::vector<AdaDraws>& draws,
                                         const AdaPipeline& pipeline, double p,
                                         const at::Tensor& images) {
  std::vector<AdaTransforms> transforms;
  for (const AdaDraws& one : draws)
    transforms.push_back(ada_transforms(pipeline, p, one, images.size(2), images.size(3)));
  return transforms;
}

}  // namespace

at::Tensor apply_transforms(const at::Tensor& images, const std::vector<AdaTransforms>& transforms,
                            const at::Tensor& noise) {
  const AdaTransforms none;
  auto x =
      where_changed(images, each(transforms, &AdaTransforms::source), none.source, affine_resample);
  x = where_changed(x, each(transforms, &AdaTransforms::color), none.color, map_colors);
  x = where_changed(x, each(transforms, &AdaTransforms::band_gains), none.band_gains,
                    amplify_bands);
  if (noise.defined()) x = add_noise(x, noise, each(transforms, &AdaTransforms::noise_sigma));
  const bool cuts = std::ranges::any_of(
      transforms, [](const AdaTransforms& one) { return one.cutout.has_value(); });
  return cuts ? cut_out(x, each(transforms, &AdaTransforms::cutout)) : x;
}

at::Tensor augment_ada(const at::Tensor& images, const AdaPipeline& pipeline, double p,
                       const ImageRandom& draws, Use use) {
  const auto drawn = random_ada_draws(draws, use, images.size(0));
  at::Tensor noise;
  if (pipeline.noise) {
    noise = kernels::random_normal(draws, Stream::kAugment, DrawSites(use).pixels, images.sizes(),
                                   images.options());
  }
  return apply_transforms(images, transforms_of(drawn, pipeline, p, images), noise);
}

}  // namespace ganscale::augment
