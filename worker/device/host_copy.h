#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace ganscale::device {

/// A copy of a tensor in the host's memory. The host does not wait for it until it asks.
class HostCopy {
 public:
  /// Begins to copy, in the current stream of the tensor's device. A tensor of the host is kept as
  /// it is.
  explicit HostCopy(const at::Tensor& tensor);

  /// Returns the copy, once it is complete.
  const at::Tensor& get();

 private:
  at::Tensor copy_;
  std::optional<c10::Event> copied_;
};

}  // namespace ganscale::device
