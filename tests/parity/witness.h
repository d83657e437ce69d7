#pragma once

#include <functional>
#include <utility>

#include "optim/optimizer/optimizer.h"

namespace ganscale::parity {

/// An optimizer that has its gradients looked at before each update.
class Witness : public optim::Optimizer {
 public:
  Witness(optim::Optimizer& optimizer, std::function<void()> look)
      : Optimizer(optimizer.parameters()), optimizer_(optimizer), look_(std::move(look)) {}

  NamedTensors state() override { return optimizer_.state(); }

 private:
  void update(double learning_rate, const optim::Averages* averages,
              const at::Tensor& skip) override {
    look_();
    optimizer_.step(learning_rate, averages, skip);
  }
  bool obeys_skip() const override { return true; }

  optim::Optimizer& optimizer_;
  std::function<void()> look_;
};

}  // namespace ganscale::parity
