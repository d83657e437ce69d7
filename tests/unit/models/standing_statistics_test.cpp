#include "models/standing_statistics.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/label_bundle.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"
#include "unit/models/tiny_model.h"

namespace ganscale::models {
namespace {

std::shared_ptr<Generator> untrained_generator(const std::string& yaml) {
  const auto generator = build_generator(read_model(yaml, 3), 1, nullptr);
  generator->eval();
  return generator;
}

constexpr const char* kBiggan = "{name: biggan, generator_channels: 2}";
constexpr const char* kFirstMean = "blocks.0.0.bn1.stored_mean";
constexpr const char* kFirstVariance = "blocks.0.0.bn1.stored_var";

TEST(StandingStatistics, ReplaceTheStatisticsOfTheTraining) {
  const auto trained = untrained_generator(kBiggan);
  const auto other = untrained_generator(kBiggan);
  const at::NoGradGuard no_grad;
  named_buffers(*other).at(kFirstMean).fill_(7);
  EXPECT_TRUE(take_standing_statistics(*trained, 3, 1, {}));
  EXPECT_TRUE(take_standing_statistics(*other, 3, 1, {}));
  EXPECT_FALSE(trained->is_training());
  EXPECT_TRUE(at::allclose(named_buffers(*other).at(kFirstMean),
                           named_buffers(*trained).at(kFirstMean), 0, 1e-5));
}

// The linear layer has orthogonal columns, scaled to length 1, so that each number is one of a
// linear function of 20 normal ones: truncated at 0.5, their variance falls to 0.0806.
TEST(StandingStatistics, AreComputedFromTruncatedLatents) {
  const auto variance = [](std::optional<double> threshold) {
    const auto generator = untrained_generator(kBiggan);
    take_standing_statistics(*generator, 20, 1, threshold);
    return named_buffers(*generator).at(kFirstVariance).mean().item<double>();
  };
  EXPECT_NEAR(variance(0.5) / variance({}), 0.0806, 0.01);
}

// With labels drawn for each pass, a generator would see some of 64 images, or none.
TEST(StandingStatistics, OfABundleAreThoseOfEachOfItsGenerators) {
  const auto generator_of = [](std::uint64_t seed) {
    const ModelConfig config = read_model("{z_dim: 4, channels: 0.125}");
    const auto generator = build_generator(config, seed, nullptr);
    generator->eval();
    return generator;
  };
  LabelBundle bundle({{0, generator_of(1)}, {2, generator_of(2)}}, 3);
  bundle.eval();
  EXPECT_TRUE(take_standing_statistics(bundle, 2, 1, {}));
  for (const std::uint64_t seed : {1, 2}) {
    const auto alone = generator_of(seed);
    take_standing_statistics(*alone, 2, 1, {});
    const auto& of_label = *bundle.generators().at(seed == 1 ? 0 : 2);
    EXPECT_FALSE(of_label.is_training());
    for (const auto& [name, buffer] : named_buffers(*alone))
      EXPECT_TRUE(at::equal(named_buffers(of_label).at(name), buffer)) << name;
  }
}

TEST(StandingStatistics, ReportAModelWithoutBatchNorm) {
  const auto generator =
      std::make_shared<TinyGenerator>(ImageShape{.channels = 1, .resolution = 8}, 4);
  EXPECT_FALSE(take_standing_statistics(*generator, 1, 1, {}));
}

}  // namespace
}  // namespace ganscale::models
