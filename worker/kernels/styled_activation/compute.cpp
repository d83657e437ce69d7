#include "kernels/styled_activation/compute.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"

namespace ganscale::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

const void* input_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}

void* output_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
}

std::int64_t image_stride_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.size(0) > 1 ? tensor.stride(0) : 0;
}

StyleInputs input_of(const StyleTensors& style) {
  return {{input_of(style.demodulation), input_of(style.next_styles), input_of(style.bias),
           input_of(style.strength)},
          image_stride_of(style.demodulation),
          image_stride_of(style.next_styles)};
}

StyleSums output_of(const StyleTensors& sums) {
  return {output_of(sums.demodulation), output_of(sums.next_styles), output_of(sums.bias),
          output_of(sums.strength)};
}

StyledPointArrays input_of(const StyledPoint& point) {
  return {.value_gradient = input_of(point.value_gradient),
          .scaled_gradient = input_of(point.scaled_gradient),
          .value = input_of(point.value),
          .y = input_of(point.y),
          .noise = input_of(point.noise),
          .style = input_of(point.style)};
}

at::Tensor as_contiguous(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.contiguous() : tensor;
}

/// Returns a tensor in which each image is contiguous; images may lie apart.
at::Tensor with_contiguous_images(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  return tensor.select(0, 0).is_contiguous() ? tensor : tensor.contiguous();
}

StyleTensors readable(const StyleTensors& style) {
  return {with_contiguous_images(style.demodulation), with_contiguous_images(style.next_styles),
          as_contiguous(style.bias), as_contiguous(style.strength)};
}

/// Returns images in the layout of `model`; references take no low-precision types.
at::Tensor computable(const at::Tensor& images, const at::Tensor& model) {
  if (!images.defined()) return images;
  const at::Tensor dense = in_layout_of(images, model);
  return takes_kernels(dense) ? dense : upcast(dense);
}

StyledPoint computable(const StyledPoint& point) {
  return {.value_gradient = computable(point.value_gradient, point.value),
          .scaled_gradient = computable(point.scaled_gradient, point.value),
          .value = computable(point.value, point.value),
          .y = computable(point.y, point.value),
          .noise = with_contiguous_images(point.noise),
          .style = readable(point.style)};
}

at::Tensor rounded(const at::Tensor& images, at::ScalarType dtype) {
  return images.defined() ? images.to(dtype) : images;
}

at::Tensor new_images(bool wanted, const at::Tensor& like) {
  return wanted ? at::empty_like(like) : at::Tensor();
}

StyledActivationTask task_of(const at::Tensor& images, const at::Tensor& noise,
                             const StyledActivationRule& rule) {
  return {.layout = {.type = scalar_type_of(images.scalar_type()),
                     .image_count = images.size(0),
                     .channel_count = images.size(1),
                     .pixel_count = images.size(2) * images.size(3),
                     .channels_last = !images.is_contiguous()},
          .rule = rule,
          .noise_stride = image_stride_of(noise)};
}

Tensors defined(Tensors tensors) {
  std::erase_if(tensors, [](const at::Tensor& tensor) { return !tensor.defined(); });
  return tensors;
}

/// Returns a function that makes a tensor of the sums' type for `like`, if it is wanted.
auto maker_of_sums(const at::Tensor& like) {
  const auto dtype = like.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return [options = like.options().dtype(dtype)](bool wanted, at::IntArrayRef shape) {
    return wanted ? at::empty(shape, options) : at::Tensor();
  };
}

StyleTensors new_sums(const WantedStyle& wanted, const ImageLayout& layout,
                      const at::Tensor& like) {
  const auto make = maker_of_sums(like);
  const auto N = layout.image_count;
  const auto C = layout.channel_count;
  return {.demodulation = make(wanted.demodulation, {N, C}),
          .next_styles = make(wanted.next_styles, {N, C}),
          .bias = make(wanted.bias, {C}),
          .strength = make(wanted.strength, {})};
}

StyleTensors new_sums_of_blocks(const WantedStyle& wanted, const ImageLayout& layout,
                                const at::Tensor& like) {
  const auto make = maker_of_sums(like);
  const StyledActivationBlocks blocks = styled_activation_blocks(layout);
  const auto N = layout.image_count;
  const auto C = layout.channel_count;
  return {.demodulation = make(wanted.demodulation, {blocks.parts, N, C}),
          .next_styles = make(wanted.next_styles, {blocks.parts, N, C}),
          .bias = make(wanted.bias, {blocks.parts, N, C}),
          .strength = make(wanted.strength, {blocks.parts, N, blocks.channel_blocks})};
}

/// What a pass over memory takes and leaves.
struct Pass {
  const char* name;
  Tensors read;
  Tensors images;  // that it writes
  WantedStyle sums;
};

/// Makes a pass over images like `like`, with the arrays that `arrays_with` returns for tensors of
/// sums. Returns the sums.
template <class ArraysWith>
StyleTensors make_pass(const Pass& pass, const at::Tensor& like, const StyledActivationTask& task,
                       ArraysWith arrays_with) {
  const StyleTensors sums = new_sums(pass.sums, task.layout, like);
  if (!takes_kernels(like)) {
    styled_activation_reference(arrays_with(sums), task);
    return sums;
  }
  const StyleTensors of_blocks = new_sums_of_blocks(pass.sums, task.layout, like);
  const Tensors parts = defined(of_blocks.tensors());
  Tensors written = defined(pass.images);
  written.insert(written.end(), parts.begin(), parts.end());
  if (written.empty()) return sums;
  launch_on_device(pass.name, {pass.read, written}, [&](void* stream) {
    styled_activation_kernel(arrays_with(of_blocks), task, stream);
  });
  if (parts.empty()) return sums;
  launch_on_device("ganscale::styled_activation_sums", {parts, defined(sums.tensors())},
                   [&](void* stream) {
                     styled_sums_kernel(input_of(of_blocks), output_of(sums), task.layout, stream);
                   });
  return sums;
}

}  // namespace

StyledValues compute_values(const at::Tensor& y, const at::Tensor& noise, const StyleTensors& style,
                            const StyledActivationRule& rule) {
  const at::Tensor dense = in_dense_layout(y);
  const at::Tensor x = computable(dense, dense);
  const at::Tensor planes = with_contiguous_images(noise);
  const StyleTensors operands = readable(style);
  const at::Tensor value = at::empty_like(x);
  const at::Tensor scaled = new_images(style.next_styles.defined(), x);
  Pass pass{.name = "ganscale::styled_activation",
            .read = operands.tensors(),
            .images = {value, scaled},
            .sums = {}};
  pass.read.insert(pass.read.end(), {x, planes});
  make_pass(pass, x, task_of(x, planes, rule), [&](const StyleTensors&) {
    return StyledActivationArrays{.value = output_of(value),
                                  .scaled = output_of(scaled),
                                  .y = input_of(x),
                                  .noise = input_of(planes),
                                  .style = input_of(operands)};
  });
  return {rounded(value, y.scalar_type()), rounded(scaled, y.scalar_type())};
}

StyledGradients compute_gradients(const StyledPoint& point, const WantedGradients& wanted,
                                  const StyledActivationRule& rule) {
  StyledPoint used = point;
  if (!wanted.style.demodulation) used.y = at::Tensor();
  if (!wanted.style.strength) used.noise = at::Tensor();
  const StyledPoint in = computable(used);
  const at::Tensor d_y = new_images(wanted.y, in.value);
  const Pass pass{.name = "ganscale::styled_activation_gradients",
                  .read = in.tensors(),
                  .images = {d_y},
                  .sums = wanted.style};
  const StyleTensors sums =
      make_pass(pass, in.value, task_of(in.value, in.noise, rule), [&](const StyleTensors& places) {
        return StyledGradientArrays{
            .d_y = output_of(d_y), .sums = output_of(places), .point = input_of(in)};
      });
  return {rounded(d_y, point.value.scalar_type()), sums};
}

StyledPoint compute_second_gradients(const StyledPoint& point, const StyledGradients& tangents,
                                     const WantedSecondGradients& wanted,
                                     const StyledActivationRule& rule) {
  StyledPoint used = point;
  if (!tangents.style.demodulation.defined()) used.y = at::Tensor();
  if (!tangents.style.strength.defined()) used.noise = at::Tensor();
  const StyledPoint in = computable(used);
  const at::Tensor y_tangent = computable(tangents.y, in.value);
  const StyleTensors style_tangents = readable(tangents.style);
  StyledPoint out{.value_gradient = new_images(wanted.value_gradient, in.value),
                  .scaled_gradient = new_images(wanted.scaled_gradient, in.value),
                  .value = new_images(wanted.value, in.value),
                  .y = new_images(wanted.y, in.value)};
  Pass pass{.name = "ganscale::styled_activation_second_gradients",
            .read = in.tensors(),
            .images = {out.value_gradient, out.scaled_gradient, out.value, out.y},
            .sums = wanted.style};
  const Tensors beside = style_tangents.tensors();
  pass.read.insert(pass.read.end(), beside.begin(), beside.end());
  pass.read.push_back(y_tangent);
  out.style =
      make_pass(pass, in.value, task_of(in.value, in.noise, rule), [&](const StyleTensors& places) {
        return StyledSecondGradientArrays{.of_value_gradient = output_of(out.value_gradient),
                                          .of_scaled_gradient = output_of(out.scaled_gradient),
                                          .of_value = output_of(out.value),
                                          .of_y = output_of(out.y),
                                          .sums = output_of(places),
                                          .d_y_tangent = input_of(y_tangent),
                                          .tangents = input_of(style_tangents),
                                          .point = input_of(in)};
      });
  const auto dtype = point.value.scalar_type();
  out.value_gradient = rounded(out.value_gradient, dtype);
  out.scaled_gradient = rounded(out.scaled_gradient, dtype);
  out.value = rounded(out.value, dtype);
  out.y = rounded(out.y, dtype);
  return out;
}

}  // namespace ganscale::kernels
