#include "kernels/counter_random/counter_random.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "kernels/counter_random/fill.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

// Calls `reference` or `kernel` with the memory of a new tensor, depending on its device.
template <class T, class Reference, class Kernel>
at::Tensor fill_tensor(at::IntArrayRef shape, const at::TensorOptions& options, RandomRows rows,
                       Reference reference, Kernel kernel) {
  const at::Tensor out = at::empty(shape, options.dtype(c10::CppTypeToScalarType<T>::value));
  rows.row_count = shape[0];
  rows.row_length = rows.row_count == 0 ? 0 : out.numel() / rows.row_count;
  if (!takes_kernels(out)) {
    reference(out.data_ptr<T>(), rows);
    return out;
  }
  launch_on_device("ganscale::random_numbers", {{}, {out}},
                   [&](void* stream) { kernel(out.data_ptr<T>(), rows, stream); });
  return out;
}

// Calls `fill` with a float or a double to select the type to draw in.
template <class Fill>
at::Tensor in_drawn_type(at::IntArrayRef shape, const at::TensorOptions& options, Fill fill) {
  check(!shape.empty(), "a random tensor has a batch dimension");
  const auto dtype = c10::typeMetaToScalarType(options.dtype());
  check(c10::isFloatingType(dtype), "a random tensor is of a floating type");
  if (dtype == at::kDouble) return fill(double{});
  const at::Tensor drawn = fill(float{});
  return dtype == at::kFloat ? drawn : drawn.to(dtype);
}

at::Tensor random_dropout_mask(const RandomRows& rows, double p, at::IntArrayRef shape,
                               const at::TensorOptions& options) {
  check(p >= 0 && p < 1, "dropout's probability is in [0, 1): " + std::to_string(p));
  const double threshold = std::min(std::round(std::ldexp(p, 32)), 0x1p32 - 1);
  const Dropout dropout{static_cast<std::uint32_t>(threshold), 1 / (1 - p)};
  return in_drawn_type(shape, options, [&](auto type) {
    using T = decltype(type);
    return fill_tensor<T>(
        shape, options, rows,
        [&](T* out, const RandomRows& r) { fill_dropout_reference(out, r, dropout); },
        [&](T* out, const RandomRows& r, void* s) { fill_dropout_kernel(out, r, dropout, s); });
  });
}

}  // namespace

at::Tensor random_normal(const ImageRandom& images, Stream stream, std::uint32_t site,
                         at::IntArrayRef shape, const at::TensorOptions& options) {
  return in_drawn_type(shape, options, [&](auto type) {
    using T = decltype(type);
    return fill_tensor<T>(shape, options, {images, stream, site}, fill_normal_reference<T>,
                          fill_normal_kernel<T>);
  });
}

at::Tensor random_uniform(const ImageRandom& images, Stream stream, std::uint32_t site,
                          at::IntArrayRef shape, const at::TensorOptions& options) {
  return in_drawn_type(shape, options, [&](auto type) {
    using T = decltype(type);
    return fill_tensor<T>(shape, options, {images, stream, site}, fill_uniform_reference<T>,
                          fill_uniform_kernel<T>);
  });
}

at::Tensor random_labels(const ImageRandom& images, Stream stream, std::uint32_t site,
                         std::int64_t label_count, std::int64_t image_count) {
  check(label_count > 0 && label_count <= 0xFFFFFFFF, "labels are drawn from at least one label");
  const at::Tensor labels = at::empty({image_count}, at::kLong);
  const RandomRows rows{images, stream, site, image_count, 1};
  auto* out = labels.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < image_count; ++row) {
    const std::uint64_t word = words_of(rows, row, 0)[0];
    out[row] = static_cast<std::int64_t>((word * static_cast<std::uint64_t>(label_count)) >> 32);
  }
  return labels;
}

at::Tensor RandomStream::dropout_mask(double p, at::IntArrayRef shape,
                                      const at::TensorOptions& options) {
  return random_dropout_mask({images_, stream_, next_site_++}, p, shape, options);
}

}  // namespace ganscale::kernels
