// Networks on two devices of one process. Tensors of the device "meta" have a shape and a place,
// but no values: what would mix the devices throws, as on GPUs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/model.h"
#include "support/expect_error.h"
#include "training/phases/phase_losses.h"
#include "training/run/run_config.h"

namespace ganscale::training {
namespace {

const at::Device kThere(at::kMeta);

class Scale : public models::Generator {
 public:
  Scale() : Generator({1, 2}, 4, 0) { weight_ = register_parameter("weight", at::ones({4, 4})); }
  at::Tensor forward(const at::Tensor& z, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*draws*/) override {
    return z.mm(weight_).view({-1, 1, 2, 2});
  }

 private:
  at::Tensor weight_;
};

class Sum : public models::Discriminator {
 public:
  Sum() : Discriminator({1, 2}, 0) {
    weight_ = register_parameter("weight", at::ones({4, 1}, kThere));
  }
  at::Tensor forward(const at::Tensor& images, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*draws*/) override {
    return images.flatten(1).mm(weight_).squeeze(1);
  }

 private:
  at::Tensor weight_;
};

TEST(NetworksOnTwoDevices, SendTheGeneratorsImagesToTheDiscriminator) {
  Scale generator;
  Sum discriminator;
  kernels::RandomStream random({}, Stream::kGeneratorNoise);
  const FakeInput fakes{at::ones({3, 4}), {}, random, {.device = kThere}};
  const RealInput reals{{at::ones({3, 1, 2, 2}, kThere), {}}, random, {.device = kThere}};
  const auto kind = losses::Adversarial::kNonSaturating;
  EXPECT_EQ(generator_loss(generator, discriminator, fakes, kind).total.device(), kThere);
  EXPECT_EQ(fakes_loss(generator, discriminator, fakes).total.device(), kThere);
  EXPECT_EQ(reals_loss(discriminator, reals).total.device(), kThere);
  EXPECT_EQ(critic_loss(generator, discriminator, {fakes, reals}, 0).total.device(), kThere);
}

TEST(NetworksOnTwoDevices, AreRefusedInTheOtherScheme) {
  const std::string two = "training: {devices_per_process: 2}";
  expect_error(ExitCode::kConfig, "2 is for scheme per_label",
               [&] { parse_run(config::parse_yaml(two, "test")); });
  expect_error(ExitCode::kConfig, "must be 1 or 2",
               [] { parse_run(config::parse_yaml("training: {devices_per_process: 3}", "test")); });
  EXPECT_EQ(parse_run(config::parse_yaml("scheme: {name: per_label}\n" + two, "test"))
                .training.devices_per_process,
            2);
}

}  // namespace
}  // namespace ganscale::training
