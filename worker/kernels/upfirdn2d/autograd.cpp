#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <sstream>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/upfirdn2d/transposed.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

[[noreturn]] void refuse(const char* why, const at::Tensor& x, const at::Tensor& filter) {
  std::ostringstream message;
  message << "upfirdn2d: " << why << ": x " << x.sizes() << ", filter " << filter.sizes();
  throw Error(ExitCode::kBug, message.str());
}

UpfirdnShape shape_of(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options) {
  UpfirdnShape shape{.options = options,
                     .plane_count = x.size(0) * x.size(1),
                     .in = {x.size(2), x.size(3)},
                     .filter = {filter.size(0), filter.size(1)}};
  set_out_size(shape);
  if (shape.out.height == 0 || shape.out.width == 0) {
    refuse("the padded image is smaller than the filter", x, filter);
  }
  return shape;
}

constexpr std::int64_t kFewestValues = 8;  // of a pixel that vectors of channels last suit

/// Returns the layout for x on a CPU.
at::MemoryFormat format_on_cpu(const at::Tensor& x) {
  const bool keeps = x.size(1) >= kFewestValues && !x.is_contiguous() &&
                     x.is_contiguous(at::MemoryFormat::ChannelsLast);
  return keeps ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

/// The tensors of a computation; the addend may be undefined.
struct Operands {
  at::Tensor x;
  at::Tensor filter;
  at::Tensor addend = {};
};

template <class T>
void compute_reference(const Operands& in, const at::Tensor& out, const UpfirdnShape& shape) {
  upfirdn2d_reference(in.x.const_data_ptr<T>(), in.filter.const_data_ptr<T>(),
                      out.mutable_data_ptr<T>(), shape,
                      in.addend.defined() ? in.addend.const_data_ptr<T>() : nullptr);
}

at::Tensor compute_on_cpu(const Operands& in, const Upfirdn& options) {
  const at::Tensor& x = in.x;
  auto shape = shape_of(x, in.filter, options);
  const bool is_double = x.scalar_type() == at::kDouble;
  const auto dtype = is_double ? at::kDouble : at::kFloat;
  const auto format = format_on_cpu(x);
  if (format == at::MemoryFormat::ChannelsLast) {
    shape.plane_count = x.size(0);
    shape.pixel_values = x.size(1);
  }
  const auto as_planes = [&](const at::Tensor& images) {
    return images.defined() ? images.to(dtype).contiguous(format) : images;
  };
  const Operands wide{as_planes(x), in.filter.to(dtype).contiguous(), as_planes(in.addend)};
  const at::Tensor out = at::empty({x.size(0), x.size(1), shape.out.height, shape.out.width},
                                   wide.x.options().memory_format(format));
  if (is_double) {
    compute_reference<double>(wide, out, shape);
  } else {
    compute_reference<float>(wide, out, shape);
  }
  return out.to(x.scalar_type());
}

PixelStrides strides_of(const at::Tensor& x) {
  return {x.stride(0), x.stride(1), x.stride(2), x.stride(3)};
}

at::Tensor compute_on_cuda(const Operands& in, const Upfirdn& options) {
  const at::Tensor& x = in.x;
  check(in.filter.device() == x.device(), "upfirdn2d's filter is on the device of x");
  const auto shape = shape_of(x, in.filter, options);
  const auto taps =
      in.filter.to(x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat).contiguous();
  // A kernel reads pixels wherever they are: planes of few channels need not be copied before.
  const auto format =
      x.size(1) >= kFewestValues ? x.suggest_memory_format() : at::MemoryFormat::Contiguous;
  const at::Tensor out = at::empty({x.size(0), x.size(1), shape.out.height, shape.out.width},
                                   x.options().memory_format(format));
  const at::Tensor addend =
      in.addend.defined() ? in_layout_of(in.addend.to(x.scalar_type()), out) : in.addend;
  launch_on_device("ganscale::upfirdn2d", {{x, taps, addend}, {out}}, [&](void* stream) {
    const UpfirdnMemory memory{.x = x.const_data_ptr(),
                               .filter = taps.const_data_ptr(),
                               .out = out.mutable_data_ptr(),
                               .addend = addend.defined() ? addend.const_data_ptr() : nullptr,
                               .x_strides = strides_of(x),
                               .out_strides = strides_of(out),
                               .channel_count = x.size(1),
                               .type = scalar_type_of(x.scalar_type())};
    upfirdn2d_kernel(memory, shape, stream);
  });
  return out;
}

// A long filter is read from memory tap by tap, so two passes of K taps are better than one of
// K * K. The reference finds the factors of a filter by itself, and both passes share the cache.
at::Tensor compute_upfirdn2d(const Operands& in, const Upfirdn& options) {
  const at::Tensor& filter = in.filter;
  const bool is_line = filter.dim() == 1;
  if (!takes_kernels(in.x)) {
    return compute_on_cpu({in.x, is_line ? filter.outer(filter) : filter, in.addend}, options);
  }
  if (!is_line) return compute_on_cuda(in, options);
  Upfirdn rows = options;
  rows.up_y = rows.down_y = 1;
  rows.pad_top = rows.pad_bottom = 0;
  rows.gain = 1;
  Upfirdn columns = options;
  columns.up_x = columns.down_x = 1;
  columns.pad_left = columns.pad_right = 0;
  const at::Tensor by_rows = compute_on_cuda({in.x, filter.unsqueeze(0)}, rows);
  return compute_on_cuda({by_rows, filter.unsqueeze(1), in.addend}, columns);
}

/// Saves the filter and the operation that computes the gradient of x.
void save_transposed(AutogradContext* context, const Operands& in, const Upfirdn& options) {
  const at::Tensor& filter = in.filter;
  const at::Tensor plane = filter.dim() == 1 ? filter.expand({filter.size(0), -1}) : filter;
  const Upfirdn back = transposed(shape_of(in.x, plane, options));
  context->save_for_backward({filter});
  context->saved_data["sizes"] =
      std::vector<std::int64_t>{back.up_x,    back.up_y,       back.down_x,
                                back.down_y,  back.pad_left,   back.pad_right,
                                back.pad_top, back.pad_bottom, back.flip_filter ? 1 : 0};
  context->saved_data["gain"] = back.gain;
}

Upfirdn saved_options(AutogradContext* context) {
  const auto s = context->saved_data["sizes"].toIntVector();
  return {.up_x = s[0],
          .up_y = s[1],
          .down_x = s[2],
          .down_y = s[3],
          .pad_left = s[4],
          .pad_right = s[5],
          .pad_top = s[6],
          .pad_bottom = s[7],
          .gain = context->saved_data["gain"].toDouble(),
          .flip_filter = s[8] == 1};
}

struct Upfirdn2d : torch::autograd::Function<Upfirdn2d> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& filter,
                            const Upfirdn& options) {
    save_transposed(context, {x, filter}, options);
    return compute_upfirdn2d({x, filter}, options);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor filter = context->get_saved_variables()[0];
    return {apply(gradients[0], filter, saved_options(context)), at::Tensor(), at::Tensor()};
  }
};

variable_list apply_with_resampled(const Operands& in, const Upfirdn& options);

/// upfirdn2d() + addend, the gradient of WithUpfirdn2d; theirs in turn is WithUpfirdn2d.
struct Upfirdn2dAndSum : torch::autograd::Function<Upfirdn2dAndSum> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& filter,
                            const at::Tensor& addend, const Upfirdn& options) {
    save_transposed(context, {x, filter}, options);
    return compute_upfirdn2d({x, filter, addend}, options);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor filter = context->get_saved_variables()[0];
    const auto both = apply_with_resampled({gradients[0], filter}, saved_options(context));
    return {both[1], at::Tensor(), both[0], at::Tensor()};
  }
};

struct WithUpfirdn2d : torch::autograd::Function<WithUpfirdn2d> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const at::Tensor& filter, const Upfirdn& options) {
    context->set_materialize_grads(false);
    save_transposed(context, {x, filter}, options);
    return {x, compute_upfirdn2d({x, filter}, options)};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor filter = context->get_saved_variables()[0];
    const Upfirdn back = saved_options(context);
    at::Tensor d_x = gradients[0];
    if (gradients[1].defined()) {
      d_x = d_x.defined() ? Upfirdn2dAndSum::apply(gradients[1], filter, d_x, back)
                          : Upfirdn2d::apply(gradients[1], filter, back);
    }
    return {d_x, at::Tensor(), at::Tensor()};
  }
};

variable_list apply_with_resampled(const Operands& in, const Upfirdn& options) {
  return WithUpfirdn2d::apply(in.x, in.filter, options);
}

bool is_positive(const Upfirdn& options) {
  return options.up_x > 0 && options.up_y > 0 && options.down_x > 0 && options.down_y > 0;
}

void check_operands(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options) {
  if (x.dim() != 4) refuse("x must be [N, C, H, W]", x, filter);
  if (x.numel() == 0) refuse("x must not be empty", x, filter);
  if (!x.is_floating_point()) refuse("x must be of a floating type", x, filter);
  if (filter.dim() != 1 && filter.dim() != 2) refuse("a filter is [K] or [Ky, Kx]", x, filter);
  if (filter.numel() == 0) refuse("a filter has at least one tap", x, filter);
  if (!is_positive(options)) refuse("up and down must be at least 1", x, filter);
  check(!filter.requires_grad(), "upfirdn2d has no gradient for its filter");
}

}  // namespace

at::Tensor upfirdn2d(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options) {
  check_operands(x, filter, options);
  return Upfirdn2d::apply(x, filter, options);
}

WithResampled with_upfirdn2d(const at::Tensor& x, const at::Tensor& filter,
                             const Upfirdn& options) {
  check_operands(x, filter, options);
  auto both = WithUpfirdn2d::apply(x, filter, options);
  return {both[0], both[1]};
}

}  // namespace ganscale::kernels
