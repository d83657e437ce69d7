// Networks on two devices of one process. Tensors of the device "meta" have a shape and a place,
// but no values: what would mix the devices throws, as on GPUs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"
#include "models/contract/networks.h"
#include "support/expect_error.h"
#include "training/phases/phase_losses.h"
#include "unit/training/parse_text.h"

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
  RunConfig config = parse("model: {name: dcgan}\ntraining: {batch: 3}\n");
  Scale generator;
  Sum discriminator;
  augment::Augmentation none(config.augment, kThere);
  PathLengthMean no_paths;
  const auto alone = comm::make_single_group();
  const PhaseLosses losses(
      {config, generator, discriminator, none, no_paths, {at::kCPU, kThere}, *alone});
  const StepInput input{.real = {at::ones({3, 1, 2, 2}, kThere), {}}, .images = {}};
  EXPECT_EQ(losses.generator(input).total.device(), kThere);
  EXPECT_EQ(losses.fakes(input).total.device(), kThere);
  EXPECT_EQ(losses.reals(input).total.device(), kThere);
  EXPECT_EQ(losses.fakes_and_reals(input).total.device(), kThere);
}

TEST(NetworksOnTwoDevices, AreRefusedInTheOtherScheme) {
  const std::string two = "training: {devices_per_process: 2}";
  expect_error(ExitCode::kConfig, "2 requires scheme per_label", [&] { parse(two); });
  expect_error(ExitCode::kConfig, "must be 1 or 2",
               [] { parse("training: {devices_per_process: 3}"); });
  EXPECT_EQ(parse("scheme: {name: per_label}\n" + two).training.devices_per_process, 2);
}

}  // namespace
}  // namespace ganscale::training
