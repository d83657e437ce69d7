// Kind "stylegan3_trace": first weights of G and D, passes in eval mode, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdio>

#include "augment/blur/fading_blur.h"
#include "base/error.h"
#include "comm/backends/thread_group.h"
#include "models/contract/style_generator.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "parity/training_trace.h"
#include "tensors/with_prefix.h"
#include "training/run/parse_run.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::parity {
namespace {

/// Up to which step losses in float32 are near those in float64.
constexpr std::int64_t kLastStepOfFloat32 = 6;

/// Keys of the configuration and the keys of the metadata that hold their values.
using ConfigKeys = std::vector<std::pair<const char*, const char*>>;

/// Returns the settings of these keys: "a: 1, b: 2".
std::string yaml_of(const Settings& in, const ConfigKeys& keys) {
  std::string yaml;
  for (const auto& [ours, theirs] : keys) {
    const std::string& value = in.text(theirs);
    yaml += (yaml.empty() ? "" : ", ") + std::string(ours) + ": " + (value == "none" ? "0" : value);
  }
  return yaml;
}

std::string model_yaml(const Settings& in) {
  return "model: {name: stylegan3, " +
         yaml_of(in, {{"resolution", "img_resolution"},
                      {"z_dim", "z_dim"},
                      {"w_dim", "w_dim"},
                      {"mapping_layers", "mapping_layers"},
                      {"channel_base", "d_channel_base"},
                      {"channel_max", "d_channel_max"},
                      {"generator_channel_base", "g_channel_base"},
                      {"generator_channel_max", "g_channel_max"},
                      {"layers", "num_layers"},
                      {"critical_layers", "num_critical"},
                      {"first_cutoff", "first_cutoff"},
                      {"first_stopband", "first_stopband"},
                      {"last_stopband", "last_stopband_rel"},
                      {"margin", "margin_size"},
                      {"kernel", "conv_kernel"},
                      {"filter_taps", "filter_size"},
                      {"activation_rate", "lrelu_upsampling"},
                      {"w_average_beta", "w_avg_beta"},
                      {"magnitude_beta", "magnitude_ema_beta"},
                      {"output_scale", "output_scale"},
                      {"conv_clamp", "conv_clamp"},
                      {"discriminator", "d_architecture"},
                      {"mbstd_group", "mbstd_group_size"},
                      {"mbstd_features", "mbstd_num_channels"}}) +
         ", radial_filters: " + (in.integer("use_radial_filters") == 1 ? "true" : "false") +
         ", conditional: " + (in.integer("c_dim") > 0 ? "true" : "false") + "}\n";
}

std::string optimizer_yaml(const Settings& in, const char* rate) {
  return "optimizer: {betas: [" + in.text("betas") + "], " +
         yaml_of(in, {{"learning_rate", rate}, {"epsilon", "eps"}}) + "}";
}

/// Returns the run of a fixture, computed in this arithmetic.
training::RunConfig run_config(const Settings& in, const Arithmetic& arithmetic) {
  if (in.number("style_mixing") != 0 || in.number("pl_weight") != 0 ||
      in.text("augment") != "none" || in.text("g_reg_interval") != "none" ||
      in.number("mapping_lr_multiplier") != 0.01) {
    throw ConfigError(
        "fixtures with style mixing, path lengths, augmentation or another rate of mapping layers "
        "can't be reproduced");
  }
  std::string yaml =
      model_yaml(in) + "training: {precision: " + arithmetic.name + ", batch: " + in.text("batch") +
      "}\n" + "generator: {" + optimizer_yaml(in, "g_lr") + ", " +
      yaml_of(in, {{"ema_kimg", "ema_kimg"}, {"ema_ramp_up", "ema_rampup"}}) + "}\n" +
      "discriminator: {unpenalized: [b4.out.bias], " + optimizer_yaml(in, "d_lr") + ", " +
      yaml_of(in, {{"r1_gamma", "r1_gamma"}, {"r1_interval", "d_reg_interval"}}) + "}\n";
  if (in.number("blur_fade_kimg") > 0) {
    yaml += "augment: {" +
            yaml_of(in, {{"blur_sigma", "blur_init_sigma"}, {"blur_fade_kimg", "blur_fade_kimg"}}) +
            "}\n";
  }
  training::RunConfig config = training::parse_run(config::parse_yaml(yaml, "the fixture"));
  config.model.channels = in.integer("img_channels");
  config.model.label_count = in.integer("c_dim");
  return config;
}

/// The images, labels and latents of a fixture's steps.
class Stylegan3Inputs : public StoredInputs {
 public:
  using StoredInputs::StoredInputs;

  training::StepInput next(const training::Progress& progress) override {
    const std::string step = "step" + std::to_string(progress.step);
    training::StepInput result{.real = {input(step + ".real"), labels(step + ".real_c")},
                               .images = {}};
    result.given[Stream::kGeneratorLatent] = latents(step + ".Gmain");
    result.given[Stream::kDiscriminatorLatent] = latents(step + ".Dmain");
    return result;
  }

 private:
  training::StepLatents latents(const std::string& phase) const {
    return {.z = input(phase + ".gen_z"), .labels = labels(phase + ".gen_c")};
  }
};

/// Our networks in the state of a fixture, and our comparison with it.
class Stylegan3Trace : private TrainingTrace {
 public:
  Stylegan3Trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                 Report& report)
      : TrainingTrace(fixture, arithmetic, report),
        config_(run_config(settings_, arithmetic)),
        inputs_(tensors_, arithmetic, config_.model.label_count),
        replica_(config_, arithmetic.device, {}),
        generator_(*replica_.generator().as_style_generator()) {
    start(replica_);
  }

  void check_passes();
  void check_steps();

 private:
  at::Tensor scalar(double value) const { return at::zeros({}, at::kDouble).add(value); }
  void compare(const std::string& group, const at::Tensor& ours, const std::string& name) {
    report_.compare(group, ours, stored(tensors_, name));
  }
  void check_truncated(const at::Tensor& z, const at::Tensor& c);
  void check_statistics(const std::string& step, const training::Phase& phase,
                        const NamedTensors& statistics);

  const training::RunConfig config_;
  Stylegan3Inputs inputs_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  training::Replica replica_;
  models::StyleGenerator& generator_;
  kernels::RandomStream random_{{}, Stream::kSamples};
};

void Stylegan3Trace::check_passes() {
  const at::NoGradGuard no_grad;
  generator_.eval();
  const at::Tensor z = inputs_.input("forward.z");
  const at::Tensor c = inputs_.labels("forward.c");
  const at::Tensor w = generator_.map(z, c, {});
  compare("forward w", w, "forward.w");
  const at::Tensor images = generator_.synthesize(w, random_);
  compare("forward images", images, "forward.image");
  check_truncated(z, c);
  compare("forward images, traceable", generator_.traceable_forward(z, c), "forward.image");
  const at::Tensor transform = generator_.input_transform();
  const at::Tensor kept = transform.clone();
  transform.copy_(stored(tensors_, "forward.transform"));
  compare("forward images, moved", generator_.synthesize(w, random_), "forward.image_transformed");
  transform.copy_(kept);
  const auto logits = [&](const at::Tensor& seen) {
    return replica_.discriminator().forward(seen, c, random_).unsqueeze(1);
  };
  compare("forward logits", logits(images), "forward.logits");
  compare("forward logits", logits(inputs_.input("forward.real")), "forward.logits_real");
  generator_.train();
}

void Stylegan3Trace::check_truncated(const at::Tensor& z, const at::Tensor& c) {
  for (const auto& [name, expected] : with_prefix(tensors_, "forward.w_psi")) {
    models::Truncation truncation;
    long long cutoff = 0;
    check(std::sscanf(name.c_str(), "%lf_cutoff%lld", &truncation.psi, &cutoff) == 2,
          "a truncation of the fixture is named w_psi<psi>_cutoff<layers>");
    truncation.cutoff = cutoff;
    const at::Tensor w = generator_.map(z, c, truncation);
    report_.compare("forward w", w, expected);
    compare("forward images", generator_.synthesize(w, random_), "forward.image_psi" + name);
  }
}

void Stylegan3Trace::check_steps() {
  training::Synchronous trainer(config_, replica_, inputs_, *group_);
  witness(trainer.phases(), [this](const training::Phase& phase, const auto& optimizer) {
    check_gradients(phase.name, optimizer);
    check_unreported_scores(phase, replica_, inputs_);
  });
  const int steps = settings_.integer("steps");
  while (progress_.step < steps) {
    const std::int64_t step = progress_.step;
    const std::string prefix = "step" + std::to_string(step);
    const std::int64_t images_seen = progress_.images_seen;
    const double beta = replica_.average().averages(images_seen).beta;
    const training::StepResult result = trainer.step(progress_);
    check(result.skipped.empty(), "a gradient is not finite");
    if (!arithmetic_.is_float64() && step > kLastStepOfFloat32) return;
    for (const training::Phase& phase : trainer.phases()) {
      check_statistics(prefix, phase, result.statistics);
    }
    compare("schedules", scalar(beta), prefix + ".ema_beta");
    compare("schedules", scalar(static_cast<double>(images_seen)), prefix + ".cur_nimg");
    compare("schedules", scalar(augment::blur_sigma(config_.augment.blur, images_seen)),
            prefix + ".blur_sigma");
  }
  if (!arithmetic_.is_float64()) return;
  check_final("G", replica_.generator());
  check_final("D", replica_.discriminator());
  check_final("G_ema", replica_.generator_ema());
}

/// A statistic of the fixture, what we call it, and what ours is multiplied by.
struct Stylegan3Statistic {
  std::string theirs;
  std::string ours;
  double factor = 1;
};

void Stylegan3Trace::check_statistics(const std::string& step, const training::Phase& phase,
                                      const NamedTensors& statistics) {
  const std::vector<Stylegan3Statistic> all = {
      {"Loss/G/loss", "loss/generator"},
      {"Loss/D/loss", "loss/discriminator"},
      {"Loss/scores/fake", "logit/fake"},
      {"Loss/scores/real", "logit/real"},
      {"Loss/signs/fake", "sign/fake"},
      {"Loss/signs/real", "sign/real"},
      {"Loss/D/reg", "loss/r1"},
      {"Loss/r1_penalty", "loss/r1", 2 / settings_.number("r1_gamma")},
  };
  for (const Stylegan3Statistic& one : all) {
    const auto theirs = tensors_.find(step + "." + phase.name + ".stat." + one.theirs);
    const bool is_ours = std::ranges::count(phase.statistics, one.ours) > 0;
    if (theirs == tensors_.end() || !is_ours) continue;
    const at::Tensor ours = stored(statistics, one.ours) * one.factor;
    const bool is_sign = one.ours.starts_with("sign/");
    if (is_sign || one.ours.starts_with("logit/")) {
      // Signs are not compared in float32, where a score near zero may have the other one.
      if (is_sign && !arithmetic_.is_float64()) continue;
      compare_scores(ours, theirs->second);
    } else {
      report_.compare("losses", ours, theirs->second);
    }
  }
}

}  // namespace

void check_stylegan3_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                           Report& report) {
  Stylegan3Trace trace(fixture, arithmetic, report);
  trace.check_passes();
  trace.check_steps();
}

}  // namespace ganscale::parity
