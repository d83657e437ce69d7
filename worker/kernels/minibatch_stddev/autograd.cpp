#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/minibatch_stddev/fill.h"
#include "kernels/minibatch_stddev/minibatch_stddev.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// values:  [group_size, group_count, feature_count, value_count].
/// Returns: [group_count, feature_count].
at::Tensor compute_stddev(const at::Tensor& values) {
  const auto type = scalar_type_of(values.scalar_type());
  if (!takes_kernels(values) && is_low_precision(type)) {
    return compute_stddev(upcast(values)).to(values.scalar_type());
  }
  const at::Tensor dense = values.contiguous();
  const at::Tensor out = at::empty({values.size(1), values.size(2)}, values.options());
  const StddevShape shape{type, values.size(0), values.size(1), values.size(2), values.size(3)};
  if (!takes_kernels(values)) {
    minibatch_stddev_reference(dense.const_data_ptr(), out.mutable_data_ptr(), shape);
  } else {
    launch_on_device("ganscale::minibatch_stddev", {{dense}, {out}}, [&](void* stream) {
      minibatch_stddev_kernel(dense.const_data_ptr(), out.mutable_data_ptr(), shape, stream);
    });
  }
  return out;
}

struct MeanStddev : torch::autograd::Function<MeanStddev> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values) {
    context->save_for_backward({values});
    return compute_stddev(values);
  }

  // Of tensor operations, so that it is differentiable itself: the features are few and small. In
  // float64, since terms of the second derivative cancel: in a group of two images, all but a share
  // of epsilon / variance.
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor saved = context->get_saved_variables()[0];
    const at::Tensor values = saved.to(at::kDouble);
    const at::Tensor centered = values - values.mean(0, /*keepdim=*/true);
    const at::Tensor stddev = centered.square().mean(0).add(kStddevEpsilon).sqrt();
    const auto count = static_cast<double>(values.size(0) * values.size(3));
    const at::Tensor gradient = gradients[0].to(at::kDouble).unsqueeze(-1);
    return {(centered * (gradient / (stddev * count))).to(saved.scalar_type())};
  }
};

}  // namespace

at::Tensor minibatch_stddev(const at::Tensor& x, std::int64_t group_size,
                            std::int64_t feature_count, std::int64_t batch_count) {
  check(x.dim() == 4 && x.numel() > 0, "minibatch_stddev takes images [N, C, H, W], not none");
  check(x.size(0) % (group_size * batch_count) == 0,
        "minibatch_stddev takes whole groups: " + std::to_string(x.size(0)) + " images of " +
            std::to_string(batch_count) + " batches in groups of " + std::to_string(group_size));
  check(x.size(1) % feature_count == 0,
        "minibatch_stddev takes the same channels for each feature");
  const std::int64_t groups = x.size(0) / (group_size * batch_count);  // of a batch
  const at::Tensor stddev =
      MeanStddev::apply(x.reshape({batch_count, group_size, groups, feature_count, -1})
                            .transpose(0, 1)
                            .reshape({group_size, batch_count * groups, feature_count, -1}));
  return stddev.view({batch_count, 1, groups, feature_count})
      .expand({-1, group_size, -1, -1})
      .reshape({-1, feature_count});
}

}  // namespace ganscale::kernels
