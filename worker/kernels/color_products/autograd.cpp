#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>

#include "base/error.h"
#include "kernels/color_products/color_products.h"
#include "kernels/color_products/fill.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/row_sums/row_sums.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr auto kLast = at::MemoryFormat::ChannelsLast;

/// What the operands have in common: the sizes of images, and how many weights there are.
struct ColorSizes {
  at::IntArrayRef images;  ///< [N, features or colors, H, W]
  std::int64_t weight_count;
  std::int64_t color_count;
  std::int64_t feature_count;
};

ColorLayout layout_of(const ColorSizes& sizes, at::ScalarType dtype) {
  const auto pixels = sizes.images[0] * sizes.images[2] * sizes.images[3];
  return {.type = scalar_type_of(dtype),
          .image_count = sizes.weight_count,
          .pixel_count = pixels / sizes.weight_count,
          .feature_count = sizes.feature_count,
          .color_count = sizes.color_count};
}

ColorSizes sizes_of(const at::Tensor& images, const at::Tensor& weights) {
  return {images.sizes(), weights.size(0), weights.size(1), weights.size(2)};
}

at::Tensor new_images(const at::Tensor& like, std::int64_t channels) {
  return at::empty({like.size(0), channels, like.size(2), like.size(3)},
                   like.options().memory_format(kLast));
}

/// Returns weights of which those of a color are one after another.
at::Tensor readable(const at::Tensor& weights) {
  return weights.stride(2) == 1 ? weights : weights.contiguous();
}

/// weights: readable.
ColorWeights input_of(const at::Tensor& weights) {
  return {.first = weights.const_data_ptr(),
          .image_stride = weights.stride(0),
          .color_stride = weights.stride(1)};
}

/// Computes what `arrays` returns, by one launch on a device.
template <class Arrays>
void compute(const KernelTensors& tensors, const ColorLayout& layout, const Arrays& arrays) {
  if (!takes_kernels(tensors.written.front())) {
    color_products_reference(arrays(), layout);
  } else {
    launch_on_device("ganscale::color_products", tensors,
                     [&](void* stream) { color_products_kernel(arrays(), layout, stream); });
  }
}

/// Returns images of so many channels: Arrays has their memory, that of `images`, and the weights.
template <class Arrays>
at::Tensor compute_images(const at::Tensor& images, const at::Tensor& weights,
                          std::int64_t channels) {
  if (is_low_precision_on_cpu(images)) {
    return compute_images<Arrays>(upcast(images), upcast(weights), channels)
        .to(images.scalar_type());
  }
  const at::Tensor dense = images.contiguous(kLast);
  const at::Tensor factors = readable(weights);
  const at::Tensor out = new_images(images, channels);
  compute({{dense, factors}, {out}}, layout_of(sizes_of(images, weights), out.scalar_type()), [&] {
    return Arrays{out.mutable_data_ptr(), dense.const_data_ptr(), input_of(factors)};
  });
  return out;
}

at::Tensor compute_weights(const at::Tensor& features, const at::Tensor& colors,
                           std::int64_t weight_count) {
  if (is_low_precision_on_cpu(features)) {
    return compute_weights(upcast(features), upcast(colors), weight_count)
        .to(features.scalar_type());
  }
  const at::Tensor dense = features.contiguous(kLast);
  const at::Tensor dense_colors = colors.contiguous(kLast);
  const ColorLayout layout = layout_of(
      {features.sizes(), weight_count, colors.size(1), features.size(1)}, features.scalar_type());
  const auto wide = features.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const std::int64_t rows = takes_kernels(features) ? color_parts(layout) : 1;
  const at::Tensor sums = at::empty({rows, weight_count * colors.size(1) * features.size(1)},
                                    features.options().dtype(wide));
  compute({{dense, dense_colors}, {sums}}, layout, [&] {
    return ColorWeightsArrays{.sums = sums.mutable_data_ptr(),
                              .features = dense.const_data_ptr(),
                              .colors = dense_colors.const_data_ptr()};
  });
  return row_sums(sums, features.scalar_type())
      .view({weight_count, colors.size(1), features.size(1)});
}

/// Returns the tensor if the other one, which it is multiplied by, has a gradient.
at::Tensor if_needed(const at::Tensor& tensor, const at::Tensor& other) {
  return other.requires_grad() ? tensor : at::Tensor();
}

/// The three tensors of a product in this order, of which any two make the third. The gradient of
/// one of these two is the product of the other one and the gradient of the third.
using Trio = std::array<at::Tensor, 3>;
constexpr std::int64_t kFeatures = 0;
constexpr std::int64_t kColors = 1;
constexpr std::int64_t kWeights = 2;

/// Returns which two tensors make the one that is wanted, in order.
constexpr std::array<std::int64_t, 2> factors_of(std::int64_t wanted) {
  return {wanted == kFeatures ? kColors : kFeatures, wanted == kWeights ? kColors : kWeights};
}

/// Returns the tensor that is wanted of the other two, differentiable.
at::Tensor product(std::int64_t wanted, const Trio& trio, std::int64_t weight_count) {
  switch (wanted) {
    case kFeatures: return features_of_colors(trio[kColors], trio[kWeights]);
    case kColors: return colors_of_features(trio[kFeatures], trio[kWeights]);
    default: return weights_of_products(trio[kFeatures], trio[kColors], weight_count);
  }
}

struct ColorProduct : torch::autograd::Function<ColorProduct> {
  /// one, other: factors_of(wanted).
  static at::Tensor forward(AutogradContext* context, const at::Tensor& one,
                            const at::Tensor& other, std::int64_t wanted,
                            std::int64_t weight_count) {
    context->save_for_backward({if_needed(one, other), if_needed(other, one)});
    context->saved_data["wanted"] = wanted;
    context->saved_data["weight_count"] = weight_count;
    switch (wanted) {
      case kFeatures: return compute_images<FeaturesArrays>(one, other, other.size(2));
      case kColors: return compute_images<ColorsArrays>(one, other, other.size(1));
      default: return compute_weights(one, other, weight_count);
    }
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const std::int64_t wanted = context->saved_data["wanted"].toInt();
    const std::int64_t weight_count = context->saved_data["weight_count"].toInt();
    const auto [one, other] = factors_of(wanted);
    Trio known;
    known[wanted] = gradients[0];
    known[one] = saved[0];
    known[other] = saved[1];
    variable_list result(4);  // none of wanted and weight_count
    if (context->needs_input_grad(0)) result[0] = product(one, known, weight_count);
    if (context->needs_input_grad(1)) result[1] = product(other, known, weight_count);
    return result;
  }
};

bool are_images(const at::Tensor& x) { return x.dim() == 4 && x.numel() > 0; }

bool is_color_count(std::int64_t count) { return count >= 1 && count <= kMostColors; }

void check_alike(const at::Tensor& one, const at::Tensor& other) {
  check(one.scalar_type() == other.scalar_type() && one.device() == other.device(),
        "color_products take tensors of one type on one device");
}

/// axis: of the weights, that has the images' channels.
void check_weights(const at::Tensor& images, const at::Tensor& weights, std::int64_t axis) {
  check(are_images(images), "color_products take images [N, C, H, W], not none");
  check(weights.dim() == 3 && (weights.size(0) == 1 || weights.size(0) == images.size(0)) &&
            weights.size(axis) == images.size(1) && is_color_count(weights.size(1)),
        "color_products take a weight for each image, or one, of as many channels");
  check_alike(images, weights);
}

}  // namespace

bool takes_color_products(const at::Tensor& images, std::int64_t color_count) {
  return takes_kernels(images) && is_color_count(color_count) && images.is_contiguous(kLast);
}

at::Tensor colors_of_features(const at::Tensor& features, const at::Tensor& weights) {
  check_weights(features, weights, 2);
  return ColorProduct::apply(features, weights, kColors, weights.size(0));
}

at::Tensor features_of_colors(const at::Tensor& colors, const at::Tensor& weights) {
  check_weights(colors, weights, 1);
  return ColorProduct::apply(colors, weights, kFeatures, weights.size(0));
}

at::Tensor weights_of_products(const at::Tensor& features, const at::Tensor& colors,
                               std::int64_t weight_count) {
  check(are_images(features) && are_images(colors) && features.size(0) == colors.size(0) &&
            features.sizes().slice(2) == colors.sizes().slice(2) &&
            is_color_count(colors.size(1)) &&
            (weight_count == 1 || weight_count == features.size(0)),
        "color_products take features and a few colors of the same pixels");
  check_alike(features, colors);
  return ColorProduct::apply(features, colors, kWeights, weight_count);
}

}  // namespace ganscale::kernels
