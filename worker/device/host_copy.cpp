#include "device/host_copy.h"

#include <ATen/ops/empty_like.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace ganscale::device {

HostCopy::HostCopy(const at::Tensor& tensor) : copy_(tensor) {
  if (tensor.is_cpu()) return;
  copy_ = at::empty_like(tensor, tensor.options().device(at::kCPU).pinned_memory(true));
  copy_.copy_(tensor, /*non_blocking=*/true);
  const c10::impl::VirtualGuardImpl streams(tensor.device().type());
  copied_.emplace(tensor.device().type());
  copied_->record(streams.getStream(tensor.device()));
}

const at::Tensor& HostCopy::get() {
  if (copied_) copied_->synchronize();
  return copy_;
}

}  // namespace ganscale::device
