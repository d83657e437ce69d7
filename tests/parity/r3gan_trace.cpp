// Kind "r3gan_trace": first weights of G and D, passes of both, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>

#include <cmath>

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

/// A cosine to this value, in the unit of a key.
std::string schedule_yaml(const Settings& in, const std::string& key, double final) {
  return "{name: cosine, " + key + ": " + config::format_number(final) +
         ", kimg: " + config::format_number(in.number("decay_nimg") / 1000) + "}";
}

/// The ends of the schedule of a weight.
struct Gammas {
  double base = 0;
  double final = 0;
};

/// Returns the weights of R1 and R2. A weight of 0 would leave the penalties out, which a fixture
/// stores all the same: instead of it, they have one that is as good as 0 beside the other.
Gammas gammas_of(const Settings& in) {
  const auto positive = [](double gamma, double other) {
    return gamma > 0 ? gamma : std::ldexp(other > 0 ? other : 1, -40);
  };
  const double base = in.number("gamma_base");
  const double final = in.number("gamma_final");
  return {positive(base, final), positive(final, base)};
}

std::string adam_yaml(const Settings& in) {
  return "optimizer: {name: adam, learning_rate: " + in.text("lr_base") +
         ", schedule: " + schedule_yaml(in, "final_fraction", 0) + ", betas: [" + in.text("beta1") +
         ", " + in.text("beta2_base") +
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
  const Gammas gammas = gammas_of(in);
  const std::string gamma = config::format_number(gammas.base);
  const std::string yaml =
      network_shape_yaml(in) + "training: {precision: " + arithmetic.name +
      ", batch: " + in.text("batch") + "}\nloss: {name: relativistic}\n" +
      "generator: {ema_kimg: " + config::format_number(in.number("ema_base") / 1000) +
      ", ema_schedule: " + schedule_yaml(in, "final_kimg", in.number("ema_final") / 1000) + ", " +
      adam_yaml(in) + "}\n" + "discriminator: {r1_gamma: " + gamma + ", r2_gamma: " + gamma +
      ", penalty_phase: main, gamma_schedule: " +
      schedule_yaml(in, "final_fraction", gammas.final / gammas.base) + ", " + adam_yaml(in) +
      "}\n";
  training::RunConfig config = training::parse_run(config::parse_yaml(yaml, "the fixture"));
  config.model.channels = in.integer("img_channels");
  config.model.label_count = in.integer("c_dim");
  // A configuration refuses a rate that rises.
  const double fraction = in.number("lr_final") / in.number("lr_base");
  config.generator.policy.schedule.final = fraction;
  config.discriminator.policy.schedule.final = fraction;
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
  void check_statistics(const std::string& step, const NamedTensors& statistics, double gamma);
  void check_scores_of_generator();
  void check_scores(const std::string& phase, const std::string& side, const at::Tensor& mean,
                    const at::Tensor& mean_sign);

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
    const bool is_generator = phase.network == &replica_.generator();
    check_gradients(is_generator ? "G" : "D", optimizer);
    if (is_generator) check_scores_of_generator();
  });
  const int steps = settings_.integer("steps");
  while (progress_.step < steps) {
    const std::string step = "step" + std::to_string(progress_.step);
    const bool is_compared = compares(progress_.step);
    if (is_compared) check_schedules(step);
    const double gamma = training::scheduled_values(config_, progress_.images_seen).at("r1_gamma");
    const training::StepResult result = trainer.step(progress_);
    check(result.skipped.empty(), "a gradient is not finite");
    if (is_compared) check_statistics(step, result.statistics, gamma);
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

/// gamma: of this step.
void R3ganTrace::check_statistics(const std::string& step, const NamedTensors& statistics,
                                  double gamma) {
  const auto compare = [&](const std::string& group, const std::string& ours,
                           const std::string& theirs, double factor = 1) {
    report_.compare(group, stored(statistics, ours) * factor,
                    stored(tensors_, step + "." + theirs));
  };
  compare("losses", "loss/discriminator", "D.stat.Loss/D/loss");
  compare("losses", "loss/generator", "G.stat.Loss/G/loss");
  compare("penalties", "loss/r1", "D.stat.Loss/r1_penalty", 2 / gamma);
  compare("penalties", "loss/r2", "D.stat.Loss/r2_penalty", 2 / gamma);
  check_scores(step + ".D", "real", stored(statistics, "logit/real"),
               stored(statistics, "sign/real"));
}

/// Compares the scores of pairs in the generator's phase, which doesn't report them. The networks
/// are as they are when it updates the generator.
void R3ganTrace::check_scores_of_generator() {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({}, Stream::kSamples);
  const std::string phase = "step" + std::to_string(progress_.step) + ".G";
  const at::Tensor labels = inputs_.labels(phase + ".real_c");
  const at::Tensor fakes =
      replica_.generator().forward(inputs_.input(phase + ".gen_z"), labels, random);
  models::Discriminator& discriminator = replica_.discriminator();
  const at::Tensor scores = discriminator.forward(fakes, labels, random) -
                            discriminator.forward(inputs_.input(phase + ".real"), labels, random);
  check_scores(phase, "fake", scores.mean(), scores.sign().mean());
}

/// mean, mean_sign: of the scores of one side, relative to the other.
void R3ganTrace::check_scores(const std::string& phase, const std::string& side,
                              const at::Tensor& mean, const at::Tensor& mean_sign) {
  const std::string prefix = phase + ".stat.Loss/";
  const at::Tensor& expected = stored(tensors_, prefix + "scores/" + side);
  // In float32 absolutely: a mean of differences may be near zero.
  const double allowance = arithmetic_.is_float64() ? 1 : 1 / expected.abs().item<double>();
  report_.compare("scores", mean, expected, allowance);
  if (!arithmetic_.is_float64()) return;
  report_.compare("scores", mean_sign, stored(tensors_, prefix + "signs/" + side));
}

}  // namespace

void check_r3gan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report) {
  R3ganTrace trace(fixture, arithmetic, report);
  trace.check_passes();
  trace.check_steps();
}

}  // namespace ganscale::parity
