#include "training/bench/layout_report.h"

#include <algorithm>

#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

LayoutReport report_of(const std::string& yaml, const char* device = "H200") {
  RunConfig config = parse(yaml);
  config.model.label_count = models::takes_labels(config.model) ? 3 : 0;
  return report_layout(config, cost::device_of_name(device));
}

const LaidOutLayer& layer_of(const LayoutReport& report, int network, const std::string& name) {
  const auto& layers = report.networks.at(static_cast<std::size_t>(network)).layers;
  const auto found = std::ranges::find(layers, name, &LaidOutLayer::name);
  EXPECT_NE(found, layers.end()) << name;
  return found == layers.end() ? layers.front() : *found;
}

constexpr const char* kBiggan =
    "model: {name: biggan, generator_channels: 16, discriminator_channels: 16}\n"
    "loss: {name: hinge}\n";

constexpr const char* kStylegan2 = "model: {name: stylegan2, preset: config-f, resolution: 32}\n";

std::string in(const std::string& precision, const std::string& more = "") {
  return "training: {batch: 8, precision: " + precision + more + "}\n";
}

TEST(LayoutReport, OfBigganHasPaddedImagesAndExactLastLayers) {
  const auto report = report_of(kBiggan + in("bf16"));
  EXPECT_TRUE(report.joins_batches);
  EXPECT_EQ(report.networks[1].images, 16);
  const auto& first = layer_of(report, 1, "blocks.0.0.conv1");
  EXPECT_EQ(first.type, "bf16");
  EXPECT_EQ(first.memory, "channels last");
  EXPECT_EQ(first.channels, (LayerChannels{3, 64}));
  EXPECT_EQ(first.padded, (LayerChannels{8, 64}));
  const auto& last = layer_of(report, 0, "output_layer.2");
  EXPECT_EQ(last.type, "tf32");
  EXPECT_EQ(last.channels, (LayerChannels{64, 3}));
  EXPECT_EQ(last.padded, (LayerChannels{64, 8}));
  EXPECT_EQ(layer_of(report, 1, "linear").type, "tf32");
}

std::vector<std::string> names_of(const LaidOutNetwork& network) {
  std::vector<std::string> names;
  for (const LaidOutLayer& layer : network.layers) names.push_back(layer.name);
  return names;
}

TEST(LayoutReport, NamesTheLayersOfRecomputedBlocks) {
  const std::string recomputes = std::string(kBiggan).replace(std::string(kBiggan).find("biggan,"),
                                                              7, "biggan, recompute_blocks: true,");
  for (const char* device : {"H200", "CPU-core"}) {
    const auto kept = report_of(kBiggan + in("bf16"), device);
    const auto recomputed = report_of(recomputes + in("bf16"), device);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(names_of(recomputed.networks.at(i)), names_of(kept.networks.at(i)));
      EXPECT_EQ(std::ranges::count(names_of(recomputed.networks.at(i)), ""), 0);
    }
  }
}

// The blocks' convolutions compute in bf16, and nothing else does: neither G's first and last
// layer, nor the gains and biases of norms, nor D's last layers.
TEST(LayoutReport, OfBigganHasAllConvolutionsOfBlocksInLowPrecision) {
  const auto report = report_of(kBiggan + in("bf16"));
  for (const LaidOutNetwork& network : report.networks) {
    for (const LaidOutLayer& layer : network.layers) {
      const bool is_low = layer.name.starts_with("blocks.") && !layer.memory.empty();
      EXPECT_EQ(layer.type, is_low ? "bf16" : "tf32") << network.name << " " << layer.name;
    }
  }
}

TEST(LayoutReport, HasExactLastLayersOfEveryConvolutionalModel) {
  const auto report = [](const std::string& model) {
    return report_of("model: {name: " + model + ", channels: 0.25}\n" + in("bf16"));
  };
  for (const char* model : {"dcgan", "conditional_dcgan", "wgan"}) {
    const auto of_model = report(model);
    EXPECT_EQ(layer_of(of_model, 0, "conv_blocks.6").type, "bf16") << model;
    EXPECT_EQ(layer_of(of_model, 0, "conv_blocks.9").type, "tf32") << model;
    EXPECT_EQ(layer_of(of_model, 1, "model.11").type, "bf16") << model;
    EXPECT_EQ(layer_of(of_model, 1, "adv_layer.0").type, "tf32") << model;
  }
  for (const char* model : {"sngan", "wgan_resnet"}) {
    const auto of_model = report(model);
    EXPECT_EQ(layer_of(of_model, 0, "block_0.conv_0").type, "bf16") << model;
    EXPECT_EQ(layer_of(of_model, 0, "to_image").type, "tf32") << model;
    EXPECT_EQ(layer_of(of_model, 1, "block_0.conv_0").type, "bf16") << model;
    EXPECT_EQ(layer_of(of_model, 1, "last").type, "tf32") << model;
  }
}

// 8 images of 32 x 32 pixels; 3 of 8 columns.
TEST(LayoutReport, ShowsTheUsefulPartOfTheTiles) {
  const auto report = report_of(kBiggan + in("tf32"));
  const auto& last = layer_of(report, 0, "output_layer.2");
  EXPECT_EQ(last.multiply_adds, 8.0 * 32 * 32 * 3 * 64 * 9);
  EXPECT_DOUBLE_EQ(last.multiply_adds / last.in_tiles, 3.0 / 8);
}

// 6 images of a rank are not the 8 rows that tensor cores take.
TEST(LayoutReport, ShowsThePadOfABatch) {
  const auto six = "training: {batch: 6, precision: tf32}\n";
  const auto report = report_of(std::string(kBiggan) + six);
  const auto& padded = layer_of(report, 0, "linear");
  EXPECT_EQ(padded.padded_vectors, 8);
  EXPECT_EQ(padded.multiply_adds, 6.0 * padded.channels.in * padded.channels.out);
  EXPECT_THAT(to_table(report), testing::HasSubstr("(8 images)"));
  EXPECT_EQ(layer_of(report, 1, "linear").padded_vectors, 16) << "of 12 reals and fakes";
  EXPECT_EQ(layer_of(report_of(kBiggan + in("tf32")), 0, "linear").padded_vectors, 0);
}

TEST(LayoutReport, OfStylegan2NamesItsLayers) {
  const auto report = report_of(kStylegan2 + in("bf16"));
  EXPECT_EQ(layer_of(report, 0, "mapping.fc0").channels, (LayerChannels{512, 512}));
  EXPECT_EQ(layer_of(report, 0, "synthesis.b8.conv0").type, "bf16");
  EXPECT_EQ(layer_of(report, 0, "synthesis.b4.conv1").memory, "channels last");
  const auto& behind_stddev = layer_of(report, 1, "b4.conv");
  EXPECT_EQ(behind_stddev.type, "tf32");
  EXPECT_EQ(behind_stddev.channels, (LayerChannels{513, 512}));
  EXPECT_EQ(behind_stddev.padded, (LayerChannels{520, 512}));
  EXPECT_TRUE(report.joins_batches);
}

TEST(LayoutReport, OfStylegan3NamesItsLayers) {
  const auto report = report_of("model: {name: stylegan3, channel_max: 12}\n" + in("bf16"));
  const auto& first = layer_of(report, 0, "synthesis.L0_36_12");
  EXPECT_EQ(first.type, "bf16");
  EXPECT_EQ(first.padded, (LayerChannels{16, 16}));
  EXPECT_EQ(first.pixels, (Resolution{38, 38})) << "with the margin that the filters take";
  EXPECT_EQ(first.multiply_adds, 8.0 * 38 * 38 * 12 * 12 * 9);
  const auto& last = layer_of(report, 0, "synthesis.L14_32_3");
  EXPECT_EQ(last.channels, (LayerChannels{12, 3}));
  EXPECT_EQ(last.kernel, 1);
}

// Four groups of 6 channels.
TEST(LayoutReport, OfR3ganPadsEachGroup) {
  const auto report =
      report_of("model: {name: r3gan, channel_max: 12, group_channels: 6}\n" + in("bf16"));
  EXPECT_TRUE(report.joins_batches);
  const auto& grouped = layer_of(report, 1, "Model.MainLayers.0.Layers.0.LinearLayer2.Layer");
  EXPECT_EQ(grouped.type, "bf16");
  EXPECT_EQ(grouped.channels, (LayerChannels{6, 24}));
  EXPECT_EQ(grouped.padded, (LayerChannels{8, 32}));
  EXPECT_EQ(grouped.multiply_adds, 16.0 * 32 * 32 * 24 * 6 * 9);
  EXPECT_EQ(layer_of(report, 0, "Model.MainLayers.0.Layers.1.LinearLayer2.Layer").type, "tf32")
      << "of 4x4 pixels";
}

TEST(LayoutReport, OfAPlainRunHasNothingFitted) {
  const auto report = report_of(kStylegan2 + in("bf16", ", layout: plain"));
  EXPECT_FALSE(report.joins_batches);
  EXPECT_EQ(report.networks[1].images, 8);
  for (const auto& network : report.networks) {
    for (const LaidOutLayer& layer : network.layers) {
      EXPECT_EQ(layer.padded, layer.channels) << layer.name;
      EXPECT_NE(layer.memory, "channels last") << layer.name;
    }
  }
}

TEST(LayoutReport, OfACpuIsChannelsLastInFloat32) {
  const auto report = report_of(kBiggan + in("bf16"), "CPU-core");
  const auto& first = layer_of(report, 1, "blocks.0.0.conv2");
  EXPECT_EQ(first.type, "fp32");
  EXPECT_EQ(first.memory, "channels last");
  EXPECT_EQ(layer_of(report, 1, "blocks.0.0.conv1").padded, (LayerChannels{3, 64}));
}

TEST(LayoutReport, HasHeightAndWidthOfImagesThatAreNotSquares) {
  const auto report = report_of("model: {resolution: [64, 128]}\n" + in("bf16"));
  EXPECT_EQ(layer_of(report, 0, "conv_blocks.9").pixels, (Resolution{64, 128}));
  EXPECT_EQ(layer_of(report, 1, "model.0").pixels, (Resolution{32, 64}));
  const std::string table = to_table(report);
  EXPECT_THAT(table, testing::HasSubstr("3x3     64x128 "));
  EXPECT_THAT(to_table(report_of(in("bf16"))), testing::HasSubstr("3x3     32x32 "));
}

TEST(LayoutReport, IsALineForEachLayer) {
  const auto report = report_of(in("bf16"));
  EXPECT_EQ(layer_of(report, 0, "conv_blocks.2").type, "bf16");
  const std::string table = to_table(report);
  EXPECT_NE(table.find("layout auto on H200, bf16 from 4x4 pixels on, else tf32"),
            std::string::npos);
  EXPECT_NE(table.find("bf16: 64 x 8 x 16"), std::string::npos);
  const auto lines = std::ranges::count(table, '\n');
  const auto layers = report.networks[0].layers.size() + report.networks[1].layers.size();
  EXPECT_EQ(lines, 3 + 2 * 3 + static_cast<std::ptrdiff_t>(layers));
}

}  // namespace
}  // namespace ganscale::training
