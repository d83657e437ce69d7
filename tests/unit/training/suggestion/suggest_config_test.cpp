#include "training/suggestion/suggest_config.h"

#include "data/sources/open_source.h"
#include "data/storage/storage.h"
#include "support/temporary_folder.h"
#include "training/run/presets.h"
#include "training/run/section_checks.h"
#include "unit/data/fake_source.h"
#include "unit/data/images.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

const Workplace kCpu{.cores = 2, .ranks = 2};
const Workplace kGpu{.has_gpu = true, .cores = 16};

RunConfig suggested(const Survey& data, const Workplace& workplace) {
  return parse(suggest_config("photos: 1", data, workplace));
}

TEST(Survey, ReportsWhatTheImagesHaveInCommon) {
  const TemporaryFolder folder;
  folder.write("cat/1.png", data::encode_png(data::flat_image(1, 40, 7)));
  folder.write("dog/1.png",
               data::encode_png(data::make_image(1, 64, 100, std::vector<std::uint8_t>(6400, 9))));
  folder.write("dog/2.png", data::encode_png(data::flat_image(1, 200, 7)));
  folder.write("dog/3.png", "damaged");
  const Survey found = survey(*data::open_source(folder.path()));
  EXPECT_EQ(found.images, 4);
  EXPECT_EQ(found.labels, 2);
  EXPECT_EQ(found.side, 64);
  EXPECT_TRUE(found.is_gray);
}

TEST(Survey, RefusesADatasetWithoutAGoodRecord) {
  const TemporaryFolder folder;
  folder.write("1.png", "damaged");
  const auto source = data::open_source(folder.path());
  expect_error(ExitCode::kData, "1.png", [&] { survey(*source); });
}

TEST(Survey, TakesNoFailureOfTheStorageForDamage) {
  data::FakeSource source(4);
  source.on_read = [](std::int64_t index) {
    if (index == 1) throw data::StorageError("cannot read (Permission denied)");
  };
  expect_error(ExitCode::kData, "cannot read (Permission denied)", [&] { survey(source); });
}

TEST(SuggestConfig, TakesASmallNetworkOnACpu) {
  const RunConfig config = suggested({.images = 500, .side = 300}, kCpu);
  EXPECT_EQ(config.data.path, "photos: 1");
  EXPECT_EQ(config.model.name, "dcgan");
  EXPECT_EQ(config.model.resolution, 32);
  EXPECT_EQ(config.training.batch, 32);
  EXPECT_EQ(config.data.fit, data::Fit::kResize);
  EXPECT_EQ(config.data.channels, data::Channels::kRgb);
  EXPECT_EQ(config.augment.method, augment::Method::kDiffAugment);
  EXPECT_EQ(suggested({.images = 500, .side = 300}, {.cores = 16}).model.resolution, 64);
}

TEST(SuggestConfig, TakesAPathOfAnyBytes) {
  for (const std::string path : {"it's", "a\\b\"", "caf\xe9"})
    EXPECT_EQ(parse(suggest_config(path, {.images = 500, .side = 32}, kCpu)).data.path, path);
}

TEST(SuggestConfig, TakesTheLabels) {
  EXPECT_EQ(suggested({.images = 500, .labels = 9, .side = 32}, kCpu).model.name,
            "conditional_dcgan");
  EXPECT_TRUE(suggested({.images = 500, .labels = 9, .side = 64}, kGpu).model.conditional);
}

TEST(SuggestConfig, IgnoresALabelThatAllImagesHave) {
  const RunConfig config = suggested({.images = 500, .labels = 1, .side = 32}, kCpu);
  EXPECT_EQ(config.model.name, "dcgan");
  EXPECT_EQ(config.data.labels, data::Labels::kIgnore);
}

TEST(SuggestConfig, TakesStylegan2OnAGpuAtTheResolutionOfTheImages) {
  const RunConfig config = suggested({.images = 500, .side = 200}, kGpu);
  EXPECT_EQ(config.model.name, "stylegan2");
  EXPECT_EQ(config.model.resolution, 128);
  EXPECT_EQ(config.augment.method, augment::Method::kAda);
  EXPECT_EQ(suggested({.images = 70'000, .side = 1024}, kGpu).model.resolution, 256);
  EXPECT_EQ(suggested({.images = 70'000, .side = 1024}, kGpu).augment.method,
            augment::Method::kNone);
}

TEST(SuggestConfig, TakesABatchThatItHasRanksAndImagesFor) {
  EXPECT_EQ(suggested({.images = 20, .side = 32}, kCpu).training.batch, 16);
  EXPECT_EQ(suggested({.images = 500, .side = 32}, {.ranks = 3}).training.batch, 30);
  EXPECT_EQ(suggested({.images = 40, .side = 32}, kGpu).training.batch, 32);
}

/// Returns the configuration that so many ranks get, each with a GPU.
RunConfig suggested_to_gpus(const Survey& data, int ranks) {
  config::Node node = config::parse_yaml(
      suggest_config("photos", data, {.has_gpu = true, .cores = 16, .ranks = ranks}), "run.yaml");
  apply_presets(node, ranks);
  return parse_run(config::Section(std::move(node)), schemes());
}

TEST(SuggestConfig, TakesABatchThatAnyNumberOfGpusCanShare) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12, 48, 80}) {
    for (const std::int64_t images : {40, 500}) {
      const RunConfig config = suggested_to_gpus({.images = images, .side = 128}, ranks);
      EXPECT_NO_THROW(require_shared_batch(config, ranks, "ranks")) << ranks << ", " << images;
    }
  }
  EXPECT_EQ(suggested_to_gpus({.images = 500, .side = 128}, 3).training.batch, 48);
}

TEST(SuggestConfig, KeepsGrayImagesGray) {
  EXPECT_EQ(suggested({.images = 500, .side = 28, .is_gray = true}, kCpu).data.channels,
            data::Channels::kGray);
}

}  // namespace
}  // namespace ganscale::training
