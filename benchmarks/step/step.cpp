// Times whole training steps of the 64x64 DC-GAN on the CPU: two backward passes, two Adam updates.
// Writes one JSON line for compare.py: seconds of each step, peak resident memory.
#include <ATen/ATen.h>

#include <CLI/CLI.hpp>

#include "losses/adversarial.h"
#include "models/build_model.h"
#include "optim/rules/adam.h"
#include "tensors/named_tensors.h"
#include "timing/time_steps.h"

namespace {

using namespace ganscale;

constexpr optim::AdamOptions kAdam{.beta1 = 0.5};

class Training {
 public:
  explicit Training(int batch)
      : batch_(batch),
        networks_(models::build_networks(config(), /*seed=*/1, nullptr)),
        generator_optimizer_(named_parameters(*networks_.generator), kAdam),
        discriminator_optimizer_(named_parameters(*networks_.discriminator), kAdam),
        real_(at::rand({batch, 3, 64, 64}).mul(2).sub(1)) {}

  void step() {
    train_discriminator();
    train_generator();
    images_seen_ += batch_;
  }

 private:
  static models::ModelConfig config() {
    return models::parse_model(config::Section(config::parse_yaml("resolution: 64", "step")));
  }

  void train_discriminator() {
    at::Tensor fakes;
    {
      const at::NoGradGuard no_grad;
      fakes = generate(Stream::kDiscriminatorLatent);
    }
    const auto loss_of_reals =
        losses::non_saturating_real_loss(score(real_, Stream::kDiscriminatorNoise));
    const auto loss_of_fakes =
        losses::non_saturating_fake_loss(score(fakes, Stream::kDiscriminatorNoise));
    (loss_of_reals + loss_of_fakes).mean().backward();
    update(discriminator_optimizer_);
  }

  void train_generator() {
    train_only_generator(true);
    const auto fakes = generate(Stream::kGeneratorLatent);
    losses::non_saturating_generator_loss(score(fakes, Stream::kGeneratorNoise)).mean().backward();
    train_only_generator(false);
    update(generator_optimizer_);
  }

  void train_only_generator(bool only) {
    for (const auto& parameter : networks_.discriminator->parameters()) {
      parameter.set_requires_grad(!only);
    }
  }

  at::Tensor generate(Stream latent) {
    kernels::RandomStream random({1, images_seen_, 1}, latent);
    const auto z = random.normal({batch_, networks_.generator->z_dim()}, at::kFloat);
    return networks_.generator->forward(z, {}, random);
  }

  at::Tensor score(const at::Tensor& images, Stream dropout) {
    kernels::RandomStream random({1, images_seen_, 1}, dropout);
    return networks_.discriminator->forward(images, {}, random);
  }

  static void update(optim::Optimizer& optimizer) {
    optimizer.step(2e-4);
    for (const auto& [name, parameter] : optimizer.parameters()) parameter.mutable_grad().reset();
  }

  std::int64_t batch_;
  models::Networks networks_;
  optim::Adam generator_optimizer_;
  optim::Adam discriminator_optimizer_;
  at::Tensor real_;
  std::int64_t images_seen_ = 0;
};

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{"Times training steps of the 64x64 DC-GAN; started by benchmarks/step/compare.py."};
  benchmarks::Timing timing{.batch = 64, .warm_up_steps = 2, .steps = 5};
  benchmarks::add_options(app, timing);
  CLI11_PARSE(app, argument_count, arguments);
  benchmarks::set_up(timing);
  Training training(timing.batch);
  benchmarks::print_times(timing,
                          benchmarks::time_steps(timing, [&](int /*number*/) { training.step(); }));
}
