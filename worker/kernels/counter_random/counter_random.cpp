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

/// rows: their count and what they hold are set from shape and options.
at::Tensor random_numbers(RandomRows rows, const Distribution& distribution, at::IntArrayRef shape,
                          const at::TensorOptions& options) {
  check(!shape.empty(), "a random tensor has a batch dimension");
  const auto dtype = c10::typeMetaToScalarType(options.dtype());
  check(c10::isFloatingType(dtype), "a random tensor is of a floating type");
  const auto drawn = dtype == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor out = at::empty(shape, options.dtype(drawn));
  rows.type = scalar_type_of(drawn);
  rows.row_count = shape[0];
  rows.row_length = rows.row_count == 0 ? 0 : out.numel() / rows.row_count;
  if (!takes_kernels(out)) {
    random_numbers_reference(out.mutable_data_ptr(), rows, distribution);
  } else {
    launch_on_device("ganscale::random_numbers", {{}, {out}}, [&](void* stream) {
      random_numbers_kernel(out.mutable_data_ptr(), rows, distribution, stream);
    });
  }
  return out.to(dtype);
}

}  // namespace

at::Tensor random_normal(const ImageRandom& images, Stream stream, std::uint32_t site,
                         at::IntArrayRef shape, const at::TensorOptions& options) {
  return random_numbers({images, stream, site}, Normal{}, shape, options);
}

at::Tensor random_uniform(const ImageRandom& images, Stream stream, std::uint32_t site,
                          at::IntArrayRef shape, const at::TensorOptions& options) {
  return random_numbers({images, stream, site}, Uniform{}, shape, options);
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
  check(p >= 0 && p < 1, "dropout's probability is in [0, 1): " + std::to_string(p));
  const double threshold = std::min(std::round(std::ldexp(p, 32)), 0x1p32 - 1);
  const Dropout dropout{static_cast<std::uint32_t>(threshold), 1 / (1 - p)};
  return random_numbers({images_, stream_, next_site_++}, dropout, shape, options);
}

}  // namespace ganscale::kernels
