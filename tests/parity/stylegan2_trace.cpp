// Kind "stylegan2_trace": first weights of G and D, passes in eval mode, and some training steps.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <cstdio>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/with_prefix.h"
#include "comm/bucketed_gradients.h"
#include "comm/thread_group.h"
#include "config/units.h"
#include "models/stylegan2/discriminator.h"
#include "models/stylegan2/generator.h"
#include "optim/ema.h"
#include "optim/lazy_rescale.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "training/phases/phase_losses.h"

namespace ganscale::parity {
namespace {

using models::stylegan2::StyleganDiscriminator;
using models::stylegan2::StyleganGenerator;

/// The hyper-parameters of a fixture.
class Settings {
 public:
  explicit Settings(const std::map<std::string, std::string>& metadata) : metadata_(metadata) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) throw DataError("the fixture's metadata lacks a key: " + key);
    return found->second;
  }
  double number(const std::string& key) const { return valid(key, config::parse_number); }
  int integer(const std::string& key) const {
    return static_cast<int>(valid(key, config::parse_integer));
  }
  bool is_none(const std::string& key) const { return text(key) == "None"; }

 private:
  template <class Value>
  Value valid(const std::string& key, std::optional<Value> (*parse)(const std::string&)) const {
    const auto value = parse(text(key));
    if (!value) throw DataError("no number in the fixture's metadata: " + key + ": " + text(key));
    return *value;
  }

  const std::map<std::string, std::string>& metadata_;
};

constexpr int kAllResolutions = 8;

models::stylegan2::Architecture architecture_of(const std::string& name) {
  if (name == "resnet") return models::stylegan2::Architecture::kResnet;
  if (name == "skip") return models::stylegan2::Architecture::kSkip;
  if (name == "orig") return models::stylegan2::Architecture::kOrig;
  throw ConfigError("no such architecture of the discriminator: " + name);
}

/// Returns how many channels the minibatch standard deviation adds: those that the layer behind it
/// takes and does not give.
int stddev_features(const NamedTensors& tensors) {
  const at::Tensor& weight = stored(tensors, "init.D.b4.conv.weight");
  return static_cast<int>(weight.size(1) - weight.size(0));
}

models::stylegan2::NetworkConfig network_config(const Settings& in, const NamedTensors& tensors,
                                                const Arithmetic& arithmetic) {
  if (in.number("style_mixing") != 0 || in.text("noise_mode") != "const") {
    throw ConfigError("fixtures with style mixing or random noise can't be reproduced");
  }
  return {.resolution = in.integer("img_resolution"),
          .channels = in.integer("img_channels"),
          .z_dim = in.integer("z_dim"),
          .w_dim = in.integer("w_dim"),
          .label_count = in.integer("c_dim"),
          .channel_base = in.integer("channel_base"),
          .channel_max = in.integer("channel_max"),
          .mapping_layers = in.integer("mapping_layers"),
          .style_mixing = 0,
          .noise = models::stylegan2::NoiseMode::kConstant,
          .discriminator = architecture_of(in.text("d_architecture")),
          .stddev_group = in.is_none("mbstd_group_size") ? 0 : in.integer("mbstd_group_size"),
          .stddev_features = stddev_features(tensors),
          .low_precision_resolutions = arithmetic.is_low_precision() ? kAllResolutions : 0,
          .conv_clamp = 0,
          .low_precision_type = arithmetic.low_precision_type};
}

optim::OptimizerConfig optimizer_config(const Settings& in, const std::string& interval) {
  const std::string& betas = in.text("betas");
  const auto comma = betas.find(',');
  optim::OptimizerConfig config;
  config.learning_rate = in.number("lr");
  config.beta1 = std::stod(betas.substr(0, comma));
  config.beta2 = std::stod(betas.substr(comma + 1));
  config.epsilon = in.number("eps");
  return optim::lazily_rescaled(config, in.integer(interval));
}

/// A network with what trains it.
struct Trained {
  Trained(torch::nn::Module& of, const optim::OptimizerConfig& config, comm::Group& group)
      : network(of),
        gradients(of.parameters(), group, 1 << 20),
        optimizer(optim::build_optimizer(config, named_parameters(of))),
        rate(config.learning_rate) {
    for (auto& parameter : of.parameters()) parameter.set_requires_grad(false);
  }
  torch::nn::Module& network;
  comm::BucketedGradients gradients;
  std::unique_ptr<optim::Optimizer> optimizer;
  double rate;
};

/// prefix: of the names of the network's tensors in the fixture.
template <class Network>
std::shared_ptr<Network> load(const checkpoint::Safetensors& fixture, const std::string& prefix,
                              const Arithmetic& arithmetic) {
  const Settings settings(fixture.metadata);
  auto network = std::make_shared<Network>(network_config(settings, fixture.tensors, arithmetic));
  network->to(arithmetic.device, arithmetic.type);
  copy_into(named_state(*network), with_prefix(fixture.tensors, prefix), "the fixture");
  return network;
}

/// Our networks in the state of a fixture, and our comparison with it.
class Trace {
 public:
  Trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic, Report& report)
      : tensors_(fixture.tensors),
        settings_(fixture.metadata),
        arithmetic_(arithmetic),
        report_(report),
        generator_(load<StyleganGenerator>(fixture, "init.G.", arithmetic)),
        average_(load<StyleganGenerator>(fixture, "init.G.", arithmetic)),
        discriminator_(load<StyleganDiscriminator>(fixture, "init.D.", arithmetic)) {
    average_->eval();
  }

  void check_passes();
  void check_steps();

 private:
  using Losses = std::vector<std::function<training::PhaseLoss(const training::StepInput&)>>;

  at::Tensor input(const std::string& name) const { return arithmetic_(stored(tensors_, name)); }
  at::Tensor labels(const std::string& name) const {
    if (settings_.integer("c_dim") == 0) return {};
    return at::argmax(stored(tensors_, name), 1).to(arithmetic_.device);
  }
  training::FakeInput fakes(const std::string& phase) {
    return {input(phase + ".gen_z"), labels(phase + ".gen_c"), draws_};
  }
  training::RealInput reals(const std::string& step) {
    return {{input(step + ".real"), labels(step + ".real_c")}, draws_};
  }

  /// In float32, what the steps before have changed is compared no more: errors grow.
  bool compares(int step) const { return step == 0 || arithmetic_.is_float64(); }
  void check_truncated(const at::Tensor& z, const at::Tensor& c);
  void run_step(int step);
  void run(const std::string& name, int step, Trained& trained, const Losses& losses);
  void check_statistics(const std::string& phase, const NamedTensors& statistics);
  void check_final(const std::string& network, const torch::nn::Module& ours);

  const NamedTensors& tensors_;
  const Settings settings_;
  const Arithmetic& arithmetic_;
  Report& report_;
  std::shared_ptr<StyleganGenerator> generator_;
  std::shared_ptr<StyleganGenerator> average_;
  std::shared_ptr<StyleganDiscriminator> discriminator_;
  std::unique_ptr<comm::Group> group_ = comm::make_single_group();
  std::unique_ptr<Trained> trained_generator_;
  std::unique_ptr<Trained> trained_discriminator_;
  training::PathLengthMean path_length_mean_;
  kernels::RandomStream draws_{{}, Stream::kSamples};
};

void Trace::check_passes() {
  const at::NoGradGuard no_grad;
  generator_->eval();
  const at::Tensor z = input("forward.z");
  const at::Tensor c = labels("forward.c");
  const at::Tensor w = generator_->map(z, c, {});
  report_.compare("forward w", w, stored(tensors_, "forward.w"));
  check_truncated(z, c);
  const at::Tensor images = generator_->synthesize(w, draws_);
  report_.compare("forward images", images, stored(tensors_, "forward.image_noise_const"));
  report_.compare("forward images", images, stored(tensors_, "forward.image_unfused"));
  report_.compare("forward images", generator_->synthesize_without_noise(w),
                  stored(tensors_, "forward.image_noise_none"));
  std::vector<at::Tensor> one_by_one;
  for (const at::Tensor& one : w.split(1))
    one_by_one.push_back(generator_->synthesize(one, draws_));
  report_.compare("forward images one by one", at::cat(one_by_one),
                  stored(tensors_, "forward.image_noise_const"));
  report_.compare("forward logits", discriminator_->forward(images, c, draws_).unsqueeze(1),
                  stored(tensors_, "forward.logits"));
  generator_->train();
}

void Trace::check_truncated(const at::Tensor& z, const at::Tensor& c) {
  for (const auto& [name, expected] : with_prefix(tensors_, "forward.w_psi")) {
    models::Truncation truncation;
    long long cutoff = 0;
    check(std::sscanf(name.c_str(), "%lf_cutoff%lld", &truncation.psi, &cutoff) == 2,
          "a truncation of the fixture is named w_psi<psi>_cutoff<layers>");
    truncation.cutoff = cutoff;
    report_.compare("forward w", generator_->map(z, c, truncation), expected);
  }
}

void Trace::check_steps() {
  trained_generator_ = std::make_unique<Trained>(
      *generator_, optimizer_config(settings_, "g_reg_interval"), *group_);
  trained_discriminator_ = std::make_unique<Trained>(
      *discriminator_, optimizer_config(settings_, "d_reg_interval"), *group_);
  path_length_mean_.value =
      at::zeros({}, at::TensorOptions(arithmetic_.type).device(arithmetic_.device));
  const int steps = settings_.integer("steps");
  for (int step = 0; step < steps; ++step) run_step(step);
  if (!compares(steps)) return;
  check_final("G", *generator_);
  check_final("D", *discriminator_);
  check_final("G_ema", *average_);
}

void Trace::run_step(int step) {
  const std::string prefix = "step" + std::to_string(step);
  const training::PathLengthOptions path_length{
      .weight = settings_.number("pl_weight"),
      .interval = settings_.integer("g_reg_interval"),
      .decay = settings_.number("pl_decay"),
      .batch_shrink = settings_.integer("pl_batch_shrink")};
  const training::R1Options r1{settings_.number("r1_gamma"), settings_.integer("d_reg_interval")};
  run("Gmain", step, *trained_generator_, {[&](const training::StepInput&) {
        return generator_loss(*generator_, *discriminator_, fakes(prefix + ".Gmain"),
                              losses::Adversarial::kNonSaturating);
      }});
  if (path_length.weight > 0 && step % path_length.interval == 0) {
    run("Greg", step, *trained_generator_, {[&](const training::StepInput&) {
          training::PathInput in{fakes(prefix + ".Greg"), input(prefix + ".Greg.pl_noise"), {}};
          in.count = training::path_count(in.fakes.z.size(0), path_length, /*rank=*/0, /*ranks=*/1);
          const auto count = in.count.here;
          in.fakes.z = in.fakes.z.narrow(0, 0, count);
          if (in.fakes.labels.defined()) in.fakes.labels = in.fakes.labels.narrow(0, 0, count);
          return path_length_loss(*generator_, in, path_length_mean_, path_length);
        }});
  }
  run("Dmain", step, *trained_discriminator_,
      {[&](const training::StepInput&) {
         return fakes_loss(*generator_, *discriminator_, fakes(prefix + ".Dmain"));
       },
       [&](const training::StepInput&) { return reals_loss(*discriminator_, reals(prefix)); }});
  if (r1.gamma > 0 && step % r1.interval == 0) {
    run("Dreg", step, *trained_discriminator_,
        {[&](const training::StepInput&) { return r1_loss(*discriminator_, reals(prefix), r1); }});
  }
  const auto batch = stored(tensors_, prefix + ".real").size(0);
  const double beta = optim::ema_beta(
      {settings_.number("ema_kimg"), settings_.number("ema_rampup")}, batch, step * batch);
  optim::update_ema(*average_, *generator_, beta);
  if (!compares(step)) return;
  report_.compare("ema_beta", at::zeros({}, at::kDouble).add(beta),
                  stored(tensors_, prefix + ".ema_beta"));
  report_.compare("pl_mean", path_length_mean_.value, stored(tensors_, prefix + ".pl_mean"));
}

void Trace::run(const std::string& name, int step, Trained& trained, const Losses& losses) {
  training::Phase phase{.name = name,
                        .network = &trained.network,
                        .optimizer = trained.optimizer.get(),
                        .gradients = &trained.gradients,
                        .learning_rate = [&trained](std::int64_t) { return trained.rate; },
                        .losses = losses};
  const auto statistics = compute_gradients(phase, {});
  const auto nonfinite = update_network(phase, /*images_seen=*/0);
  check(nonfinite.empty(), "a gradient is not finite: " + nonfinite);
  if (!compares(step)) return;
  const std::string prefix = "step" + std::to_string(step) + "." + name;
  check_statistics(prefix, statistics);
  const auto ours = named_parameters(trained.network);
  // Ten times the tolerance of losses, in float32.
  const double allowance = arithmetic_.is_float64() ? 1 : 10;
  for (const auto& [parameter, expected] : with_prefix(tensors_, prefix + ".grad.")) {
    report_.compare("gradients " + name, stored(ours, parameter).grad(), expected, allowance);
  }
}

/// A statistic of the fixture, what we call it, and what ours is multiplied by.
struct Statistic {
  std::string theirs;
  std::string ours;
  double factor = 1;
};

void Trace::check_statistics(const std::string& phase, const NamedTensors& statistics) {
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
    const auto theirs = tensors_.find(phase + ".stat." + one.theirs);
    const auto ours = statistics.find(one.ours);
    if (theirs == tensors_.end() || ours == statistics.end()) continue;
    report_.compare("losses and scores", ours->second * one.factor, theirs->second);
  }
}

void Trace::check_final(const std::string& network, const torch::nn::Module& ours) {
  const NamedTensors state = named_state(ours);
  for (const auto& [name, expected] : with_prefix(tensors_, "final." + network + ".")) {
    report_.compare("final " + network, stored(state, name), expected);
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
