#include "parity/training_trace.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/ones_like.h>

#include <utility>

#include "augment/ada_draws.h"
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

void TrainingTrace::compare_scores(const at::Tensor& ours, const at::Tensor& expected) const {
  const at::Tensor one = at::ones_like(expected);
  report_.compare("scores", ours.cpu() - expected + one, one);
}

void TrainingTrace::check_unreported_scores(const training::Phase& phase,
                                            training::Replica& replica,
                                            const StoredInputs& inputs) const {
  const bool is_of_fakes = phase.name == "Gmain";
  if (!is_of_fakes && phase.name != "Dreg") return;
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({}, Stream::kSamples);
  const std::string step = "step" + std::to_string(progress_.step) + ".";
  const at::Tensor labels = inputs.labels(step + (is_of_fakes ? "Gmain.gen_c" : "real_c"));
  models::Generator& generator = replica.generator();
  generator.eval();  // moves no means
  const at::Tensor images =
      is_of_fakes ? generator.forward(inputs.input(step + "Gmain.gen_z"), labels, random)
                  : inputs.input(step + "real");
  generator.train();
  const at::Tensor seen = replica.augmentation()(images, /*draws=*/{}, augment::Use::kReals);
  const at::Tensor scores = replica.discriminator().forward(seen, labels, random);
  const std::string side = is_of_fakes ? "fake" : "real";
  const auto compare = [&](const std::string& what, const at::Tensor& ours) {
    const auto theirs = tensors_.find(step + phase.name + ".stat.Loss/" + what + "/" + side);
    if (theirs != tensors_.end()) compare_scores(ours, theirs->second);
  };
  compare("scores", scores.mean());
  if (arithmetic_.is_float64()) compare("signs", scores.sign().mean());
}

}  // namespace ganscale::parity
