#include "parity/training_trace.h"

#include <ATen/ops/argmax.h>

#include <utility>

#include "parity/stored.h"
#include "tensors/with_prefix.h"

namespace ganscale::parity {
namespace {

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

}  // namespace

at::Tensor StoredInputs::input(const std::string& name) const {
  return arithmetic_(stored(tensors_, name));
}

at::Tensor StoredInputs::labels(const std::string& name) const {
  if (label_count_ == 0) return {};
  return at::argmax(stored(tensors_, name), 1).to(arithmetic_.device);
}

void TrainingTrace::start(training::Replica& replica) const {
  auto state = replica.state();
  for (const auto& [file, prefix] : {std::pair{"generator", "init.G."},
                                     {"generator_ema", "init.G."},
                                     {"discriminator", "init.D."}}) {
    copy_into(state.at(file), with_prefix(tensors_, prefix), "the fixture");
  }
}

void TrainingTrace::witness(std::vector<training::Phase>& phases, const CheckUpdate& check) {
  for (training::Phase& phase : phases) {
    optim::Optimizer& optimizer = *phase.optimizer;
    witnesses_.push_back(std::make_unique<Witness>(optimizer, [this, &phase, &optimizer, check] {
      if (compares(progress_.step)) check(phase, optimizer);
    }));
    phase.optimizer = witnesses_.back().get();
  }
}

NamedTensors TrainingTrace::stored_gradients(const std::string& name) const {
  return with_prefix(tensors_, "step" + std::to_string(progress_.step) + "." + name + ".grad.");
}

void TrainingTrace::check_gradients(const std::string& name, const optim::Optimizer& optimizer,
                                    double scale) const {
  // Ten times the tolerance of losses, in float32.
  const double allowance = arithmetic_.is_float64() ? 1 : 10;
  for (const auto& [parameter, expected] : stored_gradients(name)) {
    report_.compare("gradients " + name, stored(optimizer.parameters(), parameter).grad(), expected,
                    allowance, scale);
  }
}

void TrainingTrace::check_final(const std::string& network, const torch::nn::Module& ours) const {
  const NamedTensors state = named_state(ours);
  for (const auto& [name, expected] : with_prefix(tensors_, "final." + network + ".")) {
    report_.compare("final " + network, stored(state, name), expected);
  }
}

}  // namespace ganscale::parity
