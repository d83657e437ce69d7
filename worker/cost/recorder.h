#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/non_copyable.h"
#include "cost/operation.h"
#include "cost/recorded_call.h"

namespace ganscale::cost {

/// Records what this thread gives to a device: kernels of our own and ATen's operators, in their
/// order, through LibTorch's RecordFunction.
///
/// It is for the meta device, whose tensors have a shape, a type and strides, but no memory: code
/// takes the path of a GPU, and nothing is computed. LibTorch runs backward passes of that device
/// on the thread that asks for them.
class Recorder : NonCopyable {
 public:
  /// Sees each call once it has returned.
  using Listener = std::function<void(const RecordedCall& call)>;

  /// A thread has one at a time: a second is a bug.
  explicit Recorder(Listener listener = {});
  ~Recorder();

  /// Returns the operations since the last call, in their order.
  std::vector<Operation> take();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace ganscale::cost
