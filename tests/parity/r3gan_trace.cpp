// Kind "r3gan_trace": first weights of G and D, passes of both, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/scalar_tensor.h>

#include "base/error.h"
#include "base/with_prefix.h"
#include "comm/backends/thread_group.h"
#include "kernels/upfirdn2d/upfirdn2d.h"
#include "parity/check_fixture.h"
#include "parity/settings.h"
#include "parity/stored.h"
#include "parity/witness.h"
#include "training/run/parse_run.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::parity {
namespace {

/// A cosine from `<name>_base` to `<name>_final`, in the unit of a key.
std::string schedule_yaml(const Settings& in, const std::string& key, double final) {
  return "{name: cosine, " + key + ": " + config::format_number(final) +
         ", kimg: " + config::format_number(in.number("decay_nimg") / 1000) + "}";
}

std::string fraction_yaml(const Settings& in, const std::string& name) {
  return schedule_yaml(in, "final_fraction",
                       in.number(name + "_final") / in.number(name + "_base"));
}

std::string adam_yaml(const Settings& in) {
  return "optimizer: {name: adam, learning_rate: " + in.text("lr_base") +
         ", schedule: " + fraction_yaml(in, "lr") + ", betas: [" + in.text("beta1") + ", " +
         in.text("beta2_base") +
         "], beta2_schedule: " + schedule_yaml(in, "final", in.number("beta2_final")) +
         ", epsilon: " + in.text("eps") + "}";
}

std::string network_shape_yaml(const Settings& in) {
  const bool has_labels = in.integer("c_dim") > 0;
  return "model: {name: r3gan, resolution: " + in.text("img_resolution") +
         ", z_dim: " + in.text("noise_dim") + ", expansion: " + in.text("expansion_factor") +
         ", widths: [" + in.text("g_width_per_stage") + "], cardinality: [" +
         in.text("g_cardinality_per_stage") + "], blocks: [" + in.text("g_blocks_per_stage") + "]" +
         (has_labels ? ", conditional: true, label_dim: " + in.text("g_condition_embedding_dim") +
                           ", score_label_dim: " + in.text("d_condition_embedding_dim")
                     : "") +
         "}\n";
}

/// Returns the run of a fixture, computed in this arithmetic.
training::RunConfig r3gan_config(const Settings& in, const Arithmetic& arithmetic) {
  if (in.integer("kernel_size") != 3 || in.text("augment") != "none") {
    throw ConfigError(
        "fixtures of other kernels than 3x3 or with augmentation can't be reproduced");
  }
  const std::string gamma = in.text("gamma_base");
  const std::string yaml =
      network_shape_yaml(in) + "training: {precision: " + arithmetic.name +
      ", batch: " + in.text("batch") + "}\nloss: {name: relativistic}\n" +
      "generator: {ema_kimg: " + config::format_number(in.number("ema_base") / 1000) +
      ", ema_schedule: " + schedule_yaml(in, "final_kimg", in.number("ema_final") / 1000) + ", " +
      adam_yaml(in) + "}\n" + "discriminator: {r1_gamma: " + gamma + ", r2_gamma: " + gamma +
      ", penalty_phase: main, gamma_schedule: " + fraction_yaml(in, "gamma") + ", " +
      adam_yaml(in) + "}\n";
  training::RunConfig config = training::parse_run(config::parse_yaml(yaml, "the fixture"));
  config.model.channels = in.integer("img_channels");
  config.model.label_count = in.integer("c_dim");
  return config;
}

/// The images, labels and latents of a fixture's steps.
class R3ganInputs : public training::StepInputs {
 public:
  R3ganInputs(const NamedTensors& tensors, const Arithmetic& arithmetic, int label_count)
      : tensors_(tensors), arithmetic_(arithmetic), label_count_(label_count) {}

  at::Tensor input(const std::string& name) const { return arithmetic_(stored(tensors_, name)); }
  /// Returns the classes of one-hot vectors; undefined without classes.
  at::Tensor labels(const std::string& name) const {
    if (label_count_ == 0) return {};
    return at::argmax(stored(tensors_, name), 1).to(arithmetic_.device);
  }

  training::StepInput next(const training::Progress& progress) override {
    const std::string step = "step" + std::to_string(progress.step);
    training::StepInput result{.real = {input(step + ".D.real"), labels(step + ".D.real_c")},
                               .images = {}};
    result.given[Stream::kDiscriminatorLatent] = {.z = input(step + ".D.gen_z"),
                                                  .labels = result.real.labels};
    result.given[Stream::kGeneratorLatent] = {.z = input(step + ".G.gen_z"),
                                              .labels = labels(step + ".G.real_c"),
                                              .reals = input(step + ".G.real")};
    return result;
  }

 private:
  const NamedTensors& tensors_;
  const Arithmetic& arithmetic_;
  int label_count_;
};

/// Our networks in the state of a fixture, and our comparison with it. The steps are those of a run
/// of scheme synchronous on one rank.
class R3ganTrace {
 public:
  R3ganTrace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic, Report& report)
      : tensors_(fixture.tensors),
        settings_(fixture.metadata),
        arithmetic_(arithmetic),
        report_(report),
        config_(r3gan_config(settings_, arithmetic)),
        inputs_(tensors_, arithmetic, config_.model.label_count),
        replica_(config_, arithmetic.device, {}) {
    auto state = replica_.state();
    for (const auto& [file, prefix] : {std::pair{"generator", "init.G."},
                                       {"generator_ema", "init.G."},
                                       {"discriminator", "init.D."}}) {
      copy_into(state.at(file), with_prefix(tensors_, prefix), "the fixture");
    }
  }

  void check_passes();
  void check_steps();

 private:
  /// In float32, what the steps before have changed is compared no more: errors grow.
  bool compares(std::int64_t step) const { return step == 0 || arithmetic_.is_float64(); }
  void check_resamplers();
  void witness(std::vector<training::Phase>& phases);
  void check_gradients(const std::string& network, const optim::Optimizer& optimizer);
  void check_schedules(const std::string& step);
  void check_statistics(const std::string& step, const NamedTensors& statistics);
  void check_final(const std::string& network, const torch::nn::Module& ours);

  const NamedTensors& tensors_;
  const Settings settings_;
  const Arithmetic& arithmetic_;
  Report& report_;
  const training::RunConfig config_;
  R3ganInputs inputs_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  training::Replica replica_;
  training::Progress progress_;
  std::vector<std::unique_ptr<Witness>> witnesses_;
};

void R3ganTrace::check_passes() {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({}, Stream::kSamples);
  // In float32 a tenth of the tolerance of losses.
  const auto compare = [&](const std::string& group, const at::Tensor& ours, const char* theirs) {
    report_.compare(group, ours, stored(tensors_, theirs), arithmetic_.is_float64() ? 1 : 0.1);
  };
  const at::Tensor labels = inputs_.labels("forward.c");
  const at::Tensor z = inputs_.input("forward.z");
  models::Generator& generator = replica_.generator();
  models::Discriminator& discriminator = replica_.discriminator();
  const at::Tensor images = generator.forward(z, labels, random);
  compare("forward images", images, "forward.image");
  compare("forward images, traceable", generator.traceable_forward(z, labels), "forward.image");
  compare("forward logits", discriminator.forward(images, labels, random), "forward.logits");
  compare("forward logits", discriminator.forward(inputs_.input("forward.real"), labels, random),
          "forward.logits_real");
  check_resamplers();
}

void R3ganTrace::check_resamplers() {
  const at::Tensor filter = arithmetic_(kernels::setup_filter({1, 3, 3, 1}));
  const at::Tensor image = inputs_.input("forward.image").narrow(0, 0, 1);
  report_.compare("resampling", kernels::upsample2d(image, filter),
                  stored(tensors_, "forward.upsampled"));
  report_.compare("resampling", kernels::downsample2d(image, filter),
                  stored(tensors_, "forward.downsampled"));
}

void R3ganTrace::check_steps() {
  training::Synchronous trainer(config_, replica_, inputs_, *group_);
  witness(trainer.phases());
  const int steps = settings_.integer("steps");
  while (progress_.step < steps) {
    const std::string step = "step" + std::to_string(progress_.step);
    const bool is_compared = compares(progress_.step);
    if (is_compared) check_schedules(step);
    const training::StepResult result = trainer.step(progress_);
    check(result.skipped.empty(), "a gradient is not finite");
    if (is_compared) check_statistics(step, result.statistics);
  }
  if (!compares(steps)) return;
  check_final("G", replica_.generator());
  check_final("D", replica_.discriminator());
  check_final("G_ema", replica_.generator_ema());
}

/// Has the gradients of each phase compared as they are when it updates its network.
void R3ganTrace::witness(std::vector<training::Phase>& phases) {
  for (training::Phase& phase : phases) {
    optim::Optimizer& optimizer = *phase.optimizer;
    const std::string network = phase.network == &replica_.generator() ? "G" : "D";
    witnesses_.push_back(std::make_unique<Witness>(
        optimizer, [this, network, &optimizer] { check_gradients(network, optimizer); }));
    phase.optimizer = witnesses_.back().get();
  }
}

void R3ganTrace::check_gradients(const std::string& network, const optim::Optimizer& optimizer) {
  if (!compares(progress_.step)) return;
  const std::string prefix = "step" + std::to_string(progress_.step) + "." + network + ".grad.";
  // Ten times the tolerance of losses, in float32.
  const double allowance = arithmetic_.is_float64() ? 1 : 10;
  for (const auto& [parameter, expected] : with_prefix(tensors_, prefix)) {
    report_.compare("gradients " + network, stored(optimizer.parameters(), parameter).grad(),
                    expected, allowance);
  }
}

void R3ganTrace::check_schedules(const std::string& step) {
  const auto compare = [&](const std::string& name, double ours) {
    report_.compare("schedules", at::scalar_tensor(ours, at::kDouble),
                    stored(tensors_, step + "." + name));
  };
  const std::int64_t seen = progress_.images_seen;
  const auto values = training::scheduled_values(config_, seen);
  compare("lr", optim::effective_rate(config_.generator.policy, seen, /*total_images=*/0));
  compare("beta2", values.at("generator_beta2"));
  compare("gamma", values.at("r1_gamma"));
  compare("ema_nimg", values.at("ema_kimg") * 1000);
  compare("ema_beta", replica_.average().averages(seen).beta);
}

void R3ganTrace::check_statistics(const std::string& step, const NamedTensors& statistics) {
  const auto compare = [&](const std::string& ours, const std::string& theirs, double factor = 1) {
    report_.compare("losses", stored(statistics, ours) * factor,
                    stored(tensors_, step + "." + theirs));
  };
  const double of_penalty = 2 / stored(tensors_, step + ".gamma").item<double>();
  compare("loss/discriminator", "D.stat.Loss/D/loss");
  compare("loss/generator", "G.stat.Loss/G/loss");
  compare("loss/r1", "D.stat.Loss/r1_penalty", of_penalty);
  compare("loss/r2", "D.stat.Loss/r2_penalty", of_penalty);
  if (arithmetic_.is_float64()) compare("sign/real", "D.stat.Loss/signs/real");
  const at::Tensor& score = stored(tensors_, step + ".D.stat.Loss/scores/real");
  // In float32 absolutely: a mean of differences may be near zero.
  const double allowance = arithmetic_.is_float64() ? 1 : 1 / score.abs().item<double>();
  report_.compare("scores", stored(statistics, "logit/real"), score, allowance);
}

void R3ganTrace::check_final(const std::string& network, const torch::nn::Module& ours) {
  const NamedTensors state = named_state(ours);
  for (const auto& [name, expected] : with_prefix(tensors_, "final." + network + ".")) {
    report_.compare("final " + network, stored(state, name), expected);
  }
}

}  // namespace

void check_r3gan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report) {
  R3ganTrace trace(fixture, arithmetic, report);
  trace.check_passes();
  trace.check_steps();
}

}  // namespace ganscale::parity
