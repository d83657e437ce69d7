#include "models/model_table.h"

#include <ATen/Functions.h>

#include <set>

#include "models/build_model.h"
#include "support/expect_error.h"
#include "unit/models/read_model.h"
#include "unit/models/tiny_model.h"

namespace ganscale::models {
namespace {

ModelConfig read_with_tiny(const std::string& yaml) {
  const auto models = models_and_tiny();
  return parse_model(config::Section(config::parse_yaml(yaml, "run.yaml")), models);
}

TEST(ModelTable, NamesEachModelOnce) {
  std::set<std::string_view> names;
  for (const Model& model : model_table()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
  }
}

TEST(ModelTable, ListsWhichGeneratorsHaveStyles) {
  for (const Model& model : model_table()) {
    const auto config = read_model("name: " + std::string(model.name), 2);
    const auto generator = build_generator(config, 1, nullptr);
    EXPECT_EQ(generator->as_style_generator() != nullptr, model.traits.has_styles) << model.name;
  }
}

TEST(ModelTable, TakesAModelThatATestAdds) {
  const auto config = read_with_tiny("{name: tiny, resolution: 8, tiny_z_dim: 3}");
  EXPECT_FALSE(takes_labels(config));
  const auto networks = build_networks(config, 1, nullptr);
  kernels::RandomStream random({}, Stream::kSamples);
  const auto images = networks.generator->forward(at::ones({2, 3}), {}, random);
  EXPECT_EQ(images.sizes(), (std::vector<std::int64_t>{2, 3, 8, 8}));
  EXPECT_EQ(networks.discriminator->forward(images, {}, random).sizes(),
            (std::vector<std::int64_t>{2}));
}

TEST(ModelTable, GivesAModelItsKeysAndNoOthers) {
  expect_error(ExitCode::kConfig, "biggan_deep, tiny]: vae", [] { read_with_tiny("name: vae"); });
  expect_error(ExitCode::kConfig, "unknown key: batch_norm",
               [] { read_with_tiny("{name: tiny, batch_norm: local}"); });
  expect_error(ExitCode::kConfig, "unknown key: tiny_z_dim",
               [] { read_with_tiny("{name: dcgan, tiny_z_dim: 3}"); });
}

}  // namespace
}  // namespace ganscale::models
