#include "models/label_bundle.h"

#include <ATen/ATen.h>

#include "support/expect_error.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

/// Generators of labels 0 and 2 of three.
std::shared_ptr<LabelBundle> make_bundle() {
  ModelConfig config = read_model("z_dim: 4");
  config.channels = 1;
  std::map<std::int64_t, std::shared_ptr<Generator>> generators;
  for (const std::int64_t label : {0, 2}) {
    generators[label] = build_generator(config, static_cast<std::uint64_t>(label), nullptr);
  }
  auto bundle = std::make_shared<LabelBundle>(generators, 3);
  bundle->eval();
  return bundle;
}

at::Tensor forward(Generator& generator, const at::Tensor& z, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  kernels::RandomStream random({}, Stream::kSamples);
  return generator.forward(z, labels, random);
}

TEST(LabelBundle, MakesEachImageWithItsLabelsGenerator) {
  const auto bundle = make_bundle();
  EXPECT_EQ(bundle->label_count(), 3);
  EXPECT_EQ(bundle->z_dim(), 4);
  const auto z = at::randn({5, 4});
  const auto labels = at::tensor({2, 0, 0, 2, 0}, at::kLong);
  const auto images = forward(*bundle, z, labels);
  ASSERT_EQ(images.sizes(), (std::vector<std::int64_t>{5, 1, 32, 32}));
  for (std::int64_t i = 0; i < 5; ++i) {
    auto& generator = *bundle->generators().at(labels[i].item<std::int64_t>());
    const auto alone = forward(generator, z.narrow(0, i, 1), {});
    EXPECT_TRUE(at::allclose(images[i], alone[0], 1e-4, 1e-6)) << i;
  }
}

TEST(LabelBundle, NamesALabelWithoutAGenerator) {
  expect_error(ExitCode::kData, "no generator for this label, whose training failed: 1",
               [] { forward(*make_bundle(), at::zeros({1, 4}), at::tensor({1}, at::kLong)); });
}

TEST(LabelBundle, ListsTheLabelsThatItMakes) {
  EXPECT_EQ(labels_of(*make_bundle()), (std::vector<std::int64_t>{0, 2}));
  const ModelConfig config = read_model("name: conditional_dcgan", 2);
  EXPECT_EQ(labels_of(*build_generator(config, 1, nullptr)), (std::vector<std::int64_t>{0, 1}));
}

TEST(LabelBundle, HoldsParametersUnderTheirLabel) {
  const auto state = named_state(*make_bundle());
  EXPECT_TRUE(state.contains("label_0.l1.0.weight"));
  EXPECT_TRUE(state.contains("label_2.conv_blocks.9.bias"));
}

}  // namespace
}  // namespace ganscale::models
