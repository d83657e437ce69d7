#include "cli/images/style_mixing.h"

#include "data/formats/file_bytes.h"
#include "data/image/png_codec.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/models/read_model.h"

namespace ganscale::cli {
namespace {

training::TrainedGenerator trained(int resolution) {
  training::TrainedGenerator result;
  result.config.model = models::read_model(
      "{name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, mapping_layers: 2, "
      "resolution: " +
      std::to_string(resolution) + "}");
  result.generator = models::build_generator(result.config.model, 1, nullptr);
  result.generator->eval();
  return result;
}

/// Returns the PNG file of a grid of one row and one column.
std::vector<std::uint8_t> mix(int resolution, const std::string& layers, int scale = 1) {
  const TemporaryFolder folder;
  const auto generator = trained(resolution);
  const ImageSampler sampler(generator, {});
  const SampleSpec row{.seeds = {1}, .labels = {}};
  const SampleSpec column{.seeds = {2}, .labels = {}};
  write_style_mixing(sampler, {.rows = row, .columns = column, .layers = layers, .scale = scale},
                     folder / "m.png");
  const auto bytes = data::read_file(folder / "m.png");
  return {bytes.begin(), bytes.end()};
}

// 64x64 has the layers 0-9, 16x16 has 0-5, 8x8 has 0-3.
TEST(StyleMixing, TakesTheCoarseLayersThatTheModelHas) {
  EXPECT_EQ(mix(64, ""), mix(64, "0-6"));
  EXPECT_EQ(mix(16, ""), mix(16, "0-4"));
  EXPECT_EQ(mix(8, ""), mix(8, "0-2"));
  EXPECT_NE(mix(8, ""), mix(8, "0"));
}

TEST(StyleMixing, EnlargesItsImages) {
  const data::Image grid = data::decode_png(mix(8, "", /*scale=*/3));
  EXPECT_EQ(grid.height, 2 * 8 * 3);
  EXPECT_EQ(grid.width, 2 * 8 * 3);
}

TEST(StyleMixing, RefusesLayersThatTheModelLacks) {
  expect_error(ExitCode::kUsage, "--mix-layers: the layers of this model are 0-3: 4",
               [] { mix(8, "0-6"); });
}

}  // namespace
}  // namespace ganscale::cli
