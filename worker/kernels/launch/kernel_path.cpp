#include "kernels/launch/kernel_path.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/error.h"

namespace ganscale::kernels {

bool takes_kernels(const at::Tensor& tensor) { return !tensor.is_cpu(); }

void on_stream_of(at::Device device, const std::function<void(void* cuda_stream)>& launch) {
  check(device.is_cuda(), "a kernel computes on the CPU or a CUDA device");
  const c10::DeviceGuard current(device);
  const c10::impl::VirtualGuardImpl streams(c10::DeviceType::CUDA);
  launch(streams.getStream(device).native_handle());
}

}  // namespace ganscale::kernels
