#include "kernels/launch/count_change.h"

#include <torch/csrc/autograd/variable.h>

namespace ganscale::kernels {

void count_change(at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors) torch::autograd::impl::bump_version(tensor);
}

}  // namespace ganscale::kernels
