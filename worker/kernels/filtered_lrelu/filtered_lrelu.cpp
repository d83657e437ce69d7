#include "kernels/filtered_lrelu/filtered_lrelu.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/filtered_lrelu/activate.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/upfirdn2d/transposed.h"
#include "kernels/upfirdn2d/upfirdn2d.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Resamples an image with a filter.
struct Resample {
  at::Tensor filter;  // undefined: a single tap
  Upfirdn options;

  bool is_identity() const {
    const Upfirdn& o = options;
    return !filter.defined() && o.gain == 1 && o.up_x == 1 && o.up_y == 1 && o.down_x == 1 &&
           o.down_y == 1 && o.pad_left == 0 && o.pad_right == 0 && o.pad_top == 0 &&
           o.pad_bottom == 0;
  }

  at::Tensor operator()(const at::Tensor& x) const {
    if (is_identity()) return x;
    if (filter.defined()) return upfirdn2d(x, filter, options);
    return upfirdn2d(x, at::ones({1}, at::TensorOptions(x.device()).dtype(at::kDouble)), options);
  }

  /// Returns what computes the gradient of images of x's size.
  Resample transposed_for(const at::Tensor& x) const {
    UpfirdnShape shape{
        .options = options,
        .in = {x.size(2), x.size(3)},
        .filter = {filter.defined() ? filter.size(0) : 1, filter.defined() ? filter.size(-1) : 1}};
    set_out_size(shape);
    return {filter, transposed(shape)};
  }
};

/// Resamples, multiplies by the slopes of an activation, and resamples again. A node of the graph
/// holds it.
struct Stages : torch::CustomClassHolder {
  Resample first;
  ActivationRule rule;
  Resample second;
};

using StagesPtr = c10::intrusive_ptr<Stages>;

StagesPtr make_stages(const UpDownFilters& filters, const FilteredLrelu& options) {
  auto stages = c10::make_intrusive<Stages>();
  stages->first = {filters.up,
                   {.up_x = options.up,
                    .up_y = options.up,
                    .pad_left = options.pad_left,
                    .pad_right = options.pad_right,
                    .pad_top = options.pad_top,
                    .pad_bottom = options.pad_bottom,
                    .gain = static_cast<double>(options.up * options.up),
                    .flip_filter = options.flip_filters}};
  stages->rule = {options.gain, options.slope, options.clamp.value_or(-1)};
  stages->second = {
      filters.down,
      {.down_x = options.down, .down_y = options.down, .flip_filter = options.flip_filters}};
  return stages;
}

StagesPtr transposed(const Stages& stages, const at::Tensor& x, const at::Tensor& pieces) {
  auto back = c10::make_intrusive<Stages>();
  back->first = stages.second.transposed_for(pieces);
  back->rule = stages.rule;
  back->second = stages.first.transposed_for(x);
  return back;
}

/// Calls compute(values, pieces, count) for the dense values of an image in their type.
template <class Compute>
void on_values(const at::Tensor& image, const at::Tensor& pieces, const Compute& compute) {
  Piece* notes = pieces.defined()
                     ? reinterpret_cast<Piece*>(pieces.mutable_data_ptr<std::uint8_t>())
                     : nullptr;
  if (image.scalar_type() == at::kDouble) {
    compute(image.mutable_data_ptr<double>(), notes, image.numel());
  } else {
    compute(image.mutable_data_ptr<float>(), notes, image.numel());
  }
}

/// Returns a resampled image in dense memory of its own.
at::Tensor own_copy(const Resample& resample, const at::Tensor& image) {
  const at::Tensor dense = in_dense_layout(resample(image));
  return dense.is_alias_of(image) ? dense.clone() : dense;
}

/// Returns memory for the pieces of N images that lie as this one does.
at::Tensor empty_pieces(std::int64_t N, const at::Tensor& image) {
  const auto format =
      image.is_contiguous() ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
  return at::empty({N, image.size(1), image.size(2), image.size(3)},
                   at::TensorOptions(at::kByte).memory_format(format));
}

struct Activations {
  at::Tensor result;
  at::Tensor pieces;  // undefined if they are not wanted
};

/// Activates one image of x after the other.
Activations activated(const at::Tensor& x, const Stages& stages, bool wants_pieces) {
  std::vector<at::Tensor> results;
  at::Tensor pieces;
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    const at::Tensor fine = own_copy(stages.first, x.narrow(0, n, 1));
    if (wants_pieces && n == 0) pieces = empty_pieces(x.size(0), fine);
    on_values(fine, wants_pieces ? pieces.narrow(0, n, 1) : pieces,
              [&](auto* values, Piece* notes, std::int64_t count) {
                activate(values, notes, count, stages.rule);
              });
    results.push_back(stages.second(fine));
  }
  return {at::cat(results), pieces};
}

/// The same with the slopes of an activation that was computed before.
at::Tensor multiplied(const at::Tensor& x, const at::Tensor& pieces, const Stages& stages) {
  std::vector<at::Tensor> results;
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    const at::Tensor notes = pieces.narrow(0, n, 1);
    const at::Tensor fine = in_layout_of(own_copy(stages.first, x.narrow(0, n, 1)), notes);
    on_values(fine, notes, [&](auto* values, const Piece* from, std::int64_t count) {
      multiply_by_slopes(values, from, count, stages.rule);
    });
    results.push_back(stages.second(fine));
  }
  return at::cat(results);
}

void save(AutogradContext* context, const at::Tensor& pieces, const StagesPtr& back) {
  context->saved_data["pieces"] = pieces;
  context->saved_data["back"] = c10::IValue::make_capsule(back);
}

StagesPtr saved_stages(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<Stages>(context->saved_data["back"].toCapsule());
}

/// The derivative, linear in the gradient: its own is the activation's other way, with the same
/// slopes.
struct Multiplied : torch::autograd::Function<Multiplied> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& pieces,
                            const StagesPtr& stages) {
    save(context, pieces, transposed(*stages, x, pieces));
    return multiplied(x, pieces, *stages);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor pieces = context->saved_data["pieces"].toTensor();
    return {apply(gradients[0], pieces, saved_stages(context)), at::Tensor(), at::Tensor()};
  }
};

struct Activated : torch::autograd::Function<Activated> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const StagesPtr& stages) {
    const auto [result, pieces] = activated(x, *stages, x.requires_grad());
    if (pieces.defined()) save(context, pieces, transposed(*stages, x, pieces));
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor pieces = context->saved_data["pieces"].toTensor();
    return {Multiplied::apply(gradients[0], pieces, saved_stages(context)), at::Tensor()};
  }
};

at::Tensor on_cpu(const at::Tensor& x, const StagesPtr& stages) {
  return Activated::apply(upcast(x), stages).to(x.scalar_type());
}

at::Tensor composed(const at::Tensor& x, const Stages& stages, const FilteredLrelu& options) {
  BiasAct act{.activation = Activation::kLeakyRelu,
              .gain = options.gain,
              .clamp = options.clamp,
              .slope = options.slope};
  if (options.slope == 0) act = {Activation::kRelu, options.gain, options.clamp};
  return stages.second(bias_act(stages.first(x), /*bias=*/{}, act));
}

}  // namespace

at::Tensor filtered_lrelu(const at::Tensor& x, const at::Tensor& bias, const UpDownFilters& filters,
                          const FilteredLrelu& options) {
  check(x.dim() == 4 && x.numel() > 0, "filtered_lrelu takes images [N, C, H, W], not none");
  check(!bias.defined() || (bias.dim() == 1 && bias.size(0) == x.size(1)),
        "filtered_lrelu takes a bias per channel");
  check(options.up > 0 && options.down > 0, "filtered_lrelu samples at whole multiples");
  check(options.gain > 0 && options.slope >= 0, "filtered_lrelu takes a positive gain");
  const at::Tensor biased = bias.defined() ? x + bias.view({1, -1, 1, 1}) : x;
  const StagesPtr stages = make_stages(filters, options);
  return takes_kernels(x) ? composed(biased, *stages, options) : on_cpu(biased, stages);
}

}  // namespace ganscale::kernels
