// Kind "biggan_trace": first weights of G and D, some training steps, and a pass in eval mode.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "base/error.h"
#include "comm/backends/thread_group.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "parity/training_trace.h"
#include "tensors/with_prefix.h"
#include "training/run/parse_run.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::parity {
namespace {

/// Python's "64_32" as a list; "0" is none.
std::string attention_yaml(const Settings& in) {
  std::string list = in.text("attention");
  std::ranges::replace(list, '_', ',');
  return list == "0" ? "[]" : "[" + list + "]";
}

std::string network_yaml(const Settings& in, const std::string& rate) {
  return "{optimizer: {name: adam, learning_rate: " + in.text(rate) + ", betas: [" +
         in.text("betas") + "], epsilon: " + in.text("adam_eps") + "}}\n";
}

double largest_of(const NamedTensors& tensors) {
  double largest = 0;
  for (const auto& [name, tensor] : tensors) {
    largest = std::max(largest, tensor.abs().max().item<double>());
  }
  return largest;
}

/// Returns the run of a fixture, computed in this arithmetic.
training::RunConfig biggan_config(const Settings& in, const NamedTensors& tensors,
                                  const Arithmetic& arithmetic) {
  std::string yaml =
      "model: {name: biggan, resolution: " + in.text("resolution") +
      ", z_dim: " + in.text("dim_z") + ", shared_dim: " + in.text("shared_dim") +
      ", generator_channels: " + in.text("g_ch") + ", discriminator_channels: " + in.text("d_ch") +
      ", hierarchical: " + (in.text("hier") == "True" ? "true" : "false") +
      ", attention: " + attention_yaml(in) + ", spectral_norm_epsilon: " + in.text("sn_eps") +
      ", batch_norm_epsilon: " + in.text("bn_eps") + "}\n" +
      "training: {precision: " + arithmetic.name + ", batch: " + in.text("batch") + "}\n" +
      "loss: {name: " + in.text("loss") + ", first: discriminator}\n" +
      "generator: " + network_yaml(in, "g_lr") + "discriminator: " + network_yaml(in, "d_lr");
  training::RunConfig config = training::parse_run(config::parse_yaml(yaml, "the fixture"));
  config.model.channels = static_cast<int>(stored(tensors, "step0.x").size(1));
  config.model.label_count = in.integer("n_classes");
  return config;
}

/// The images, labels and latents of a fixture's steps.
class BigganInputs : public training::StepInputs {
 public:
  BigganInputs(const NamedTensors& tensors, const Arithmetic& arithmetic)
      : tensors_(tensors), arithmetic_(arithmetic) {}

  training::StepInput next(const training::Progress& progress) override {
    const std::string step = "step" + std::to_string(progress.step);
    training::StepInput result{
        .real = {arithmetic_(stored(tensors_, step + ".x")), labels(step + ".y")}, .images = {}};
    result.given[Stream::kGeneratorLatent] = latents(step + ".G");
    result.given[Stream::kDiscriminatorLatent] = latents(step + ".D");
    return result;
  }

  at::Tensor labels(const std::string& name) const {
    return stored(tensors_, name).to(arithmetic_.device);
  }

 private:
  training::StepLatents latents(const std::string& phase) const {
    return {.z = arithmetic_(stored(tensors_, phase + ".z")), .labels = labels(phase + ".gy")};
  }

  const NamedTensors& tensors_;
  const Arithmetic& arithmetic_;
};

/// Our networks in the state of a fixture, and our comparison with it.
class BigganTrace : private TrainingTrace {
 public:
  BigganTrace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic, Report& report)
      : TrainingTrace(fixture, arithmetic, report),
        config_(biggan_config(settings_, tensors_, arithmetic)),
        inputs_(tensors_, arithmetic),
        replica_(config_, arithmetic.device, {}) {
    start(replica_);
  }

  void check_steps();
  void check_images();

 private:
  void check_update(const std::string& network, const optim::Optimizer& optimizer) const;
  void check_statistics(const std::string& step, const NamedTensors& statistics);

  const training::RunConfig config_;
  BigganInputs inputs_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  training::Replica replica_;
};

void BigganTrace::check_steps() {
  training::Synchronous trainer(config_, replica_, inputs_, *group_);
  witness(trainer.phases(), [this](const training::Phase& phase, const auto& optimizer) {
    check_update(phase.network == &replica_.generator() ? "G" : "D", optimizer);
  });
  const int steps = settings_.integer("steps");
  while (progress_.step < steps) {
    const std::int64_t step = progress_.step;
    const training::StepResult result = trainer.step(progress_);
    check(result.skipped.empty(), "a gradient is not finite");
    if (compares(step)) check_statistics("step" + std::to_string(step), result.statistics);
  }
  if (!compares(steps)) return;
  check_final("G", replica_.generator());
  check_final("D", replica_.discriminator());
}

void BigganTrace::check_update(const std::string& network,
                               const optim::Optimizer& optimizer) const {
  // In float32 the gradients of biases before a batch norm are zero but for the rounding of
  // gradients as large as the others.
  const double scale = arithmetic_.is_float64() ? 0 : largest_of(stored_gradients(network));
  check_gradients(network, optimizer, scale);
}

void BigganTrace::check_statistics(const std::string& step, const NamedTensors& statistics) {
  const auto theirs = [&](const std::string& name) { return stored(tensors_, step + "." + name); };
  report_.compare("losses", stored(statistics, "loss/discriminator"),
                  theirs("D.loss_real").add(theirs("D.loss_fake")));
  report_.compare("losses", stored(statistics, "loss/generator"), theirs("G.loss"));
  report_.compare("logits", stored(statistics, "logit/real"), theirs("D.logits_real").mean());
  report_.compare("logits", stored(statistics, "logit/fake"), theirs("D.logits_fake").mean());
}

/// In eval mode with the final weights: the fixture's, which float32 would not reach.
void BigganTrace::check_images() {
  const at::NoGradGuard no_grad;
  models::Generator& generator = replica_.generator();
  copy_into(named_state(generator), with_prefix(tensors_, "final.G."), "the fixture");
  generator.eval();
  kernels::RandomStream random({}, Stream::kSamples);
  report_.compare(
      "images",
      generator.forward(arithmetic_(stored(tensors_, "eval.z")), inputs_.labels("eval.y"), random),
      stored(tensors_, "eval.image"));
}

}  // namespace

void check_biggan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                        Report& report) {
  BigganTrace trace(fixture, arithmetic, report);
  trace.check_steps();
  trace.check_images();
}

}  // namespace ganscale::parity
