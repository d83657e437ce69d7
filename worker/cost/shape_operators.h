#pragma once

#include <torch/library.h>

namespace ganscale::cost {

/// Gives LibTorch, as long as it lives, what it lacks without Python to compute on the meta device:
/// the shapes that operators return. Convolutions are laid out in memory as cuDNN does it, which
/// copies an input that is not. A value that the host reads is 0.
class ShapeOperators {
 public:
  ShapeOperators();

 private:
  torch::Library library_;
};

}  // namespace ganscale::cost
