// Kind "stylegan2_trace": first weights of G and D, passes in eval mode, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/error.h"
#include "comm/backends/thread_group.h"
#include "models/stylegan2/generator.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "parity/training_trace.h"
#include "tensors/with_prefix.h"
#include "training/run/parse_run.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::parity {
namespace {

/// Returns how many channels the minibatch standard deviation adds: those that the layer behind it
/// takes and does not give.
int stddev_features(const NamedTensors& tensors) {
  const at::Tensor& weight = stored(tensors, "init.D.b4.conv.weight");
  return static_cast<int>(weight.size(1) - weight.size(0));
}

/// The keys of one network's section: its optimizer.
std::string optimizer_yaml(const Settings& in) {
  return "optimizer: {learning_rate: " + in.text("lr") + ", betas: [" + in.text("betas") +
         "], epsilon: " + in.text("eps") + "}";
}

/// Returns the run of a fixture, computed in this arithmetic.
training::RunConfig run_config(const Settings& in, const NamedTensors& tensors,
                               const Arithmetic& arithmetic) {
  if (in.number("style_mixing") != 0 || in.text("noise_mode") != "const") {
    throw ConfigError("fixtures with style mixing or random noise can't be reproduced");
  }
  std::string yaml = "model: {name: stylegan2, style_mixing: 0, noise: constant, resolution: " +
                     in.text("img_resolution");
  for (const char* key : {"z_dim", "w_dim", "channel_base", "channel_max", "mapping_layers"}) {
    yaml += std::string(", ") + key + ": " + in.text(key);
  }
  yaml += ", discriminator: " + in.text("d_architecture") +
          ", mbstd_group: " + (in.is_none("mbstd_group_size") ? "0" : in.text("mbstd_group_size")) +
          ", mbstd_features: " + std::to_string(stddev_features(tensors)) +
          ", low_precision_resolutions: 8, conv_clamp: 0" +
          ", conditional: " + (in.integer("c_dim") > 0 ? "true" : "false") + "}\n" +
          "training: {precision: " + arithmetic.name +
          ", batch: " + std::to_string(stored(tensors, "step0.real").size(0)) + "}\n" +
          "generator: {" + optimizer_yaml(in) + ", ema_kimg: " + in.text("ema_kimg") +
          ", ema_ramp_up: " + in.text("ema_rampup") +
          ", path_length_weight: " + in.text("pl_weight") +
          ", path_length_interval: " + in.text("g_reg_interval") +
          ", path_length_decay: " + in.text("pl_decay") +
          ", path_length_batch_shrink: " + in.text("pl_batch_shrink") + "}\n" + "discriminator: {" +
          optimizer_yaml(in) + ", r1_gamma: " + in.text("r1_gamma") +
          ", r1_interval: " + in.text("d_reg_interval") + "}\n";
  training::RunConfig config = training::parse_run(config::parse_yaml(yaml, "the fixture"));
  config.model.channels = in.integer("img_channels");
  config.model.label_count = in.integer("c_dim");
  return config;
}

/// The images, labels, latents and noise of a fixture's steps.
class FixtureInputs : public StoredInputs {
 public:
  FixtureInputs(const NamedTensors& tensors, const Arithmetic& arithmetic, int label_count,
                std::int64_t batch_shrink)
      : StoredInputs(tensors, arithmetic, label_count), batch_shrink_(batch_shrink) {}

  training::StepInput next(const training::Progress& progress) override {
    const std::string step = "step" + std::to_string(progress.step);
    training::StepInput result{.real = {input(step + ".real"), labels(step + ".real_c")},
                               .images = {}};
    result.given[Stream::kGeneratorLatent] = latents(step + ".Gmain");
    result.given[Stream::kDiscriminatorLatent] = latents(step + ".Dmain");
    if (has(step + ".Greg.gen_z")) {
      result.given[Stream::kPathLength] = path_latents(step + ".Greg");
    }
    return result;
  }

 private:
  training::StepLatents latents(const std::string& phase) const {
    return {.z = input(phase + ".gen_z"), .labels = labels(phase + ".gen_c")};
  }
  training::StepLatents path_latents(const std::string& phase) const {
    training::StepLatents all = latents(phase);
    const auto count =
        training::path_count(all.z.size(0), batch_shrink_, /*rank=*/0, /*ranks=*/1).here;
    all.z = all.z.narrow(0, 0, count);
    if (all.labels.defined()) all.labels = all.labels.narrow(0, 0, count);
    all.noise = input(phase + ".pl_noise");
    return all;
  }

  std::int64_t batch_shrink_;
};

/// Our networks in the state of a fixture, and our comparison with it.
class Trace : private TrainingTrace {
 public:
  Trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic, Report& report)
      : TrainingTrace(fixture, arithmetic, report),
        config_(run_config(settings_, fixture.tensors, arithmetic)),
        inputs_(tensors_, arithmetic, config_.model.label_count,
                config_.generator.path_length.batch_shrink),
        path_length_group_(group_->split(0)),
        replica_(config_, arithmetic.device, {.path_length = path_length_group_.get()}),
        generator_(dynamic_cast<models::stylegan2::StyleganGenerator&>(replica_.generator())) {
    start(replica_);
  }

  void check_passes();
  void check_steps();

 private:
  at::Tensor images_without_noise(const at::Tensor& w);
  void check_truncated(const at::Tensor& z, const at::Tensor& c);
  void check_step(std::int64_t step, const std::vector<training::Phase>& phases,
                  const NamedTensors& statistics);
  void check_statistics(const std::string& step, const training::Phase& phase,
                        const NamedTensors& statistics);

  const training::RunConfig config_;
  FixtureInputs inputs_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  std::unique_ptr<comm::Group> path_length_group_;
  training::Replica replica_;
  models::stylegan2::StyleganGenerator& generator_;
  kernels::RandomStream random_{{}, Stream::kSamples};
};

void Trace::check_passes() {
  const at::NoGradGuard no_grad;
  generator_.eval();
  const at::Tensor z = inputs_.input("forward.z");
  const at::Tensor c = inputs_.labels("forward.c");
  const at::Tensor w = generator_.map(z, c, {});
  report_.compare("forward w", w, stored(tensors_, "forward.w"));
  check_truncated(z, c);
  const at::Tensor images = generator_.synthesize(w, random_);
  report_.compare("forward images", images, stored(tensors_, "forward.image_noise_const"));
  report_.compare("forward images", images, stored(tensors_, "forward.image_unfused"));
  report_.compare("forward images", images_without_noise(w),
                  stored(tensors_, "forward.image_noise_none"));
  std::vector<at::Tensor> one_by_one;
  for (const at::Tensor& one : w.split(1))
    one_by_one.push_back(generator_.synthesize(one, random_));
  report_.compare("forward images one by one", at::cat(one_by_one),
                  stored(tensors_, "forward.image_noise_const"));
  report_.compare("forward logits",
                  replica_.discriminator().forward(images, c, random_).unsqueeze(1),
                  stored(tensors_, "forward.logits"));
  generator_.train();
}

/// Returns the images of a generator whose noise has no strength.
at::Tensor Trace::images_without_noise(const at::Tensor& w) {
  NamedTensors strengths;
  for (const auto& [name, parameter] : named_parameters(generator_)) {
    if (name.ends_with("noise_strength")) strengths.emplace(name, parameter);
  }
  NamedTensors kept;
  for (const auto& [name, strength] : strengths) {
    kept.emplace(name, strength.clone());
    strength.zero_();
  }
  const at::Tensor images = generator_.synthesize(w, random_);
  copy_into(strengths, kept, "the strengths of the noise");
  return images;
}

void Trace::check_truncated(const at::Tensor& z, const at::Tensor& c) {
  for (const auto& [name, expected] : with_prefix(tensors_, "forward.w_psi")) {
    models::Truncation truncation;
    long long cutoff = 0;
    check(std::sscanf(name.c_str(), "%lf_cutoff%lld", &truncation.psi, &cutoff) == 2,
          "a truncation of the fixture is named w_psi<psi>_cutoff<layers>");
    truncation.cutoff = cutoff;
    report_.compare("forward w", generator_.map(z, c, truncation), expected);
  }
}

void Trace::check_steps() {
  training::Synchronous trainer(config_, replica_, inputs_, *group_);
  witness(trainer.phases(), [this](const training::Phase& phase, const auto& optimizer) {
    check_gradients(phase.name, optimizer);
    check_unreported_scores(phase, replica_, inputs_);
  });
  const int steps = settings_.integer("steps");
  while (progress_.step < steps) {
    const std::int64_t step = progress_.step;
    const double beta = replica_.average().averages(progress_.images_seen).beta;
    const training::StepResult result = trainer.step(progress_);
    check(result.skipped.empty(), "a gradient is not finite");
    if (!compares(step)) continue;
    check_step(step, trainer.phases(), result.statistics);
    report_.compare("ema_beta", at::zeros({}, at::kDouble).add(beta),
                    stored(tensors_, "step" + std::to_string(step) + ".ema_beta"));
  }
  if (!compares(steps)) return;
  check_final("G", replica_.generator());
  check_final("D", replica_.discriminator());
  check_final("G_ema", replica_.generator_ema());
}

void Trace::check_step(std::int64_t step, const std::vector<training::Phase>& phases,
                       const NamedTensors& statistics) {
  const std::string prefix = "step" + std::to_string(step);
  for (const training::Phase& phase : phases) check_statistics(prefix, phase, statistics);
  const at::Tensor& mean = replica_.path_length_mean().value;
  if (!mean.defined()) return;  // without the regularization
  report_.compare("pl_mean", mean, stored(tensors_, prefix + ".pl_mean"));
}

/// A statistic of the fixture, what we call it, and what ours is multiplied by.
struct Statistic {
  std::string theirs;
  std::string ours;
  double factor = 1;
};

void Trace::check_statistics(const std::string& step, const training::Phase& phase,
                             const NamedTensors& statistics) {
  const std::vector<Statistic> all = {
      {"Loss/G/loss", "loss/generator"},
      {"Loss/D/loss", "loss/discriminator"},
      {"Loss/scores/fake", "logit/fake"},
      {"Loss/scores/real", "logit/real"},
      {"Loss/signs/fake", "sign/fake"},
      {"Loss/signs/real", "sign/real"},
      {"Loss/D/reg", "loss/r1"},
      {"Loss/r1_penalty", "loss/r1", 2 / settings_.number("r1_gamma")},
      {"Loss/G/reg", "loss/path_length"},
      {"Loss/pl_penalty", "loss/path_length", 1 / settings_.number("pl_weight")},
  };
  for (const Statistic& one : all) {
    const auto theirs = tensors_.find(step + "." + phase.name + ".stat." + one.theirs);
    const bool is_ours = std::ranges::count(phase.statistics, one.ours) > 0;
    if (theirs == tensors_.end() || !is_ours) continue;
    report_.compare("losses and scores", stored(statistics, one.ours) * one.factor, theirs->second);
  }
}

}  // namespace

void check_stylegan2_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                           Report& report) {
  Trace trace(fixture, arithmetic, report);
  trace.check_passes();
  // Single elements of a gradient are small differences of large numbers, where eleven bits of each
  // say nothing; the whole of it is compared in training_claims.cpp.
  if (!arithmetic.tf32 && !arithmetic.is_low_precision()) trace.check_steps();
}

}  // namespace ganscale::parity
