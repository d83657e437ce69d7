#include "kernels/launch/kernel_path.h"

/// In place of the worker's definitions, where a program is linked with the kernels for the host:
/// they compute with every tensor.
namespace ganscale::kernels {

bool takes_kernels(const at::Tensor&) { return true; }

void on_stream_of(at::Device, const std::function<void(void* cuda_stream)>& launch) {
  launch(nullptr);
}

}  // namespace ganscale::kernels
