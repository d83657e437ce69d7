// Kind "r3gan_trace": first weights of G and D, passes of both, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>

#include "base/error.h"
#include "comm/backends/thread_group.h"
#include "kernels/upfirdn2d/upfirdn2d.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "parity/training_trace.h"
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
class R3ganInputs : public StoredInputs {
 public:
  using StoredInputs::StoredInputs;

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
};

/// Our networks in the state of a fixture, and our comparison with it.
class R3ganTrace : private TrainingTrace {
 public:
  R3ganTrace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic, Report& report)
      : TrainingTrace(fixture, arithmetic, report),
        config_(r3gan_config(settings_, arithmetic)),
        inputs_(tensors_, arithmetic, config_.model.label_count),
        replica_(config_, arithmetic.device, {}) {
    start(replica_);
  }

  void check_passes();
  void check_steps();

 private:
  void check_resamplers();
  void check_schedules(const std::string& step);
  void check_statistics(const std::string& step, const NamedTensors& statistics);

  const training::RunConfig config_;
  R3ganInputs inputs_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  training::Replica replica_;
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
  witness(trainer.phases(), [this](const training::Phase& phase, const auto& optimizer) {
    check_gradients(phase.network == &replica_.generator() ? "G" : "D", optimizer);
  });
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

}  // namespace

void check_r3gan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report) {
  R3ganTrace trace(fixture, arithmetic, report);
  trace.check_passes();
  trace.check_steps();
}

}  // namespace ganscale::parity
