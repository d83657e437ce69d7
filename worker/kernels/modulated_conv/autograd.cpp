#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "base/error.h"
#include "kernels/color_products/color_products.h"
#include "kernels/grouped_products/grouped_products.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/modulated_conv/fill.h"
#include "kernels/modulated_conv/modulated_conv.h"
#include "kernels/row_sums/row_sums.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kEpsilon = 1e-8;

ImageLayout image_layout_of(const at::Tensor& x) {
  return {.type = scalar_type_of(x.scalar_type()),
          .image_count = x.size(0),
          .channel_count = x.size(1),
          .pixel_count = x.size(2) * x.size(3),
          .channels_last = !x.is_contiguous()};
}

at::Tensor compute_scaled(const at::Tensor& x, const at::Tensor& scale) {
  if (is_low_precision_on_cpu(x))
    return compute_scaled(upcast(x), upcast(scale)).to(x.scalar_type());
  const at::Tensor dense = in_dense_layout(x);
  const at::Tensor factors = scale.contiguous();
  const at::Tensor out = at::empty_like(dense);
  const auto arrays = [&] {
    return ScaleArrays{out.mutable_data_ptr(), dense.const_data_ptr(), factors.const_data_ptr()};
  };
  const ImageLayout layout = image_layout_of(dense);
  if (!takes_kernels(x)) {
    scale_channels_reference(arrays(), layout);
  } else {
    launch_on_device("ganscale::scale_channels", {{dense, factors}, {out}},
                     [&](void* stream) { scale_channels_kernel(arrays(), layout, stream); });
  }
  return out;
}

at::Tensor compute_dots(const at::Tensor& a, const at::Tensor& b) {
  if (is_low_precision_on_cpu(a)) return compute_dots(upcast(a), upcast(b)).to(a.scalar_type());
  const at::Tensor first = in_dense_layout(a);
  const at::Tensor second = in_layout_of(b, first);
  const ImageLayout layout = image_layout_of(first);
  const auto wide = a.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const std::int64_t rows = takes_kernels(a) ? walk_of(layout).partial_rows() : 1;
  const at::Tensor out = at::empty({rows, a.size(0) * a.size(1)}, a.options().dtype(wide));
  const auto arrays = [&] {
    return DotArrays{out.mutable_data_ptr(), first.const_data_ptr(), second.const_data_ptr()};
  };
  if (!takes_kernels(a)) {
    dot_channels_reference(arrays(), layout);
  } else {
    launch_on_device("ganscale::dot_channels", {{first, second}, {out}},
                     [&](void* stream) { dot_channels_kernel(arrays(), layout, stream); });
  }
  return row_sums(out, a.scalar_type()).view({a.size(0), a.size(1)});
}

struct Scale : torch::autograd::Function<Scale> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& scale) {
    context->save_for_backward(
        {scale.requires_grad() ? x : at::Tensor(), x.requires_grad() ? scale : at::Tensor()});
    return compute_scaled(x, scale);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list result(2);
    if (context->needs_input_grad(0)) result[0] = scale_channels(gradients[0], saved[1]);
    if (context->needs_input_grad(1)) result[1] = dot_channels(gradients[0], saved[0]);
    return result;
  }
};

struct Dot : torch::autograd::Function<Dot> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b) {
    context->save_for_backward({a, b});
    return compute_dots(a, b);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list result(2);
    if (context->needs_input_grad(0)) result[0] = scale_channels(saved[1], gradients[0]);
    if (context->needs_input_grad(1)) result[1] = scale_channels(saved[0], gradients[0]);
    return result;
  }
};

}  // namespace

at::Tensor scale_channels(const at::Tensor& x, const at::Tensor& scale) {
  check(x.dim() == 4 && x.numel() > 0, "scale_channels takes images [N, C, H, W], not none");
  check(scale.dim() == 2 && scale.size(0) == x.size(0) && scale.size(1) == x.size(1),
        "scale_channels takes a scale for each image and channel");
  return Scale::apply(x, scale);
}

at::Tensor dot_channels(const at::Tensor& a, const at::Tensor& b) {
  check(a.dim() == 4 && a.numel() > 0 && a.sizes() == b.sizes(),
        "dot_channels takes two batches of images of one shape, not empty");
  return Dot::apply(a, b);
}

at::Tensor mix_channels(const at::Tensor& x, const at::Tensor& weights) {
  check(x.dim() == 4 && weights.dim() == 3 && weights.size(0) == x.size(0) &&
            weights.size(2) == x.size(1),
        "mix_channels takes a weight for each image, of as many channels");
  const auto N = x.size(0);
  const auto out = weights.size(1);
  if (x.is_contiguous()) return at::bmm(weights, x.flatten(2)).view({N, out, x.size(2), x.size(3)});
  if (takes_color_products(x, out)) return colors_of_features(x, weights);
  const at::Tensor pixels = x.permute({0, 2, 3, 1}).flatten(1, 2);  // [N, H W, in]
  return at::bmm(pixels, weights.transpose(1, 2))
      .view({N, x.size(2), x.size(3), out})
      .permute({0, 3, 1, 2});
}

at::Tensor demodulations(const std::vector<at::Tensor>& energies, const at::Tensor& styles,
                         const std::vector<std::int64_t>& first_styles) {
  return grouped_products(styles.square(), {energies, first_styles}).add(kEpsilon).rsqrt();
}

at::Tensor weight_for_float16(const at::Tensor& weight) {
  const double fan_in = static_cast<double>(weight.size(1) * weight.size(2) * weight.size(3));
  return weight / (weight.abs().amax({1, 2, 3}, /*keepdim=*/true) * std::sqrt(fan_in));
}

at::Tensor styles_for_float16(const at::Tensor& styles) {
  return styles / styles.abs().amax({1}, /*keepdim=*/true);
}

}  // namespace ganscale::kernels
