#include "training/loop/sample_grids.h"

#include <set>

#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/fake_source.h"
#include "unit/data/images.h"

namespace ganscale::training {
namespace {

constexpr data::DecodePolicy kFakePolicy{.channels = 1, .resolution = 2};

/// Gray images of 2x2, all of label 1 of two.
class SecondLabelOnly : public data::FakeSource {
 public:
  SecondLabelOnly() : FakeSource(/*record_count=*/3, /*label_count=*/2) {}
  std::int64_t label(std::int64_t) const override { return 1; }
};

/// Writes reals.png of that source in rows of one image and returns its pixels.
std::vector<std::uint8_t> reals_of_second_label(int rows) {
  const TemporaryFolder run;
  TrainingConfig config;
  config.grid_rows = rows;
  config.grid_columns = 1;
  SampleGrids(config, RunFolder(run.path())).write_reals(SecondLabelOnly(), kFakePolicy, 2);
  return data::decode_png(data::read_file(run / "samples/reals.png")).hwc;
}

TEST(SampleGrids, LeavesTheRowOfALabelWithoutRecordsWhite) {
  const std::vector<std::uint8_t> white(4, 255);
  EXPECT_EQ(reals_of_second_label(1), white);
  // Record 0 is 0 0 0 0, record 1 is 1 0 2 0; each row below another one.
  const std::vector<std::uint8_t> four_rows = {255, 255, 255, 255, 0, 0, 0, 0,
                                               255, 255, 255, 255, 1, 0, 2, 0};
  EXPECT_EQ(reals_of_second_label(4), four_rows);
}

/// The reals of these records, one label each, in a grid of one column: record i begins with i.
std::vector<int> records_shown(const data::Source& source, int rows, std::int64_t label_count) {
  const TemporaryFolder run;
  TrainingConfig config;
  config.grid_rows = rows;
  config.grid_columns = 1;
  SampleGrids(config, RunFolder(run.path())).write_reals(source, kFakePolicy, label_count);
  const auto pixels = data::decode_png(data::read_file(run / "samples/reals.png")).hwc;
  std::vector<int> records;
  for (std::size_t i = 0; i < pixels.size(); i += 4) records.push_back(pixels[i]);
  return records;
}

TEST(SampleGrids, TakesRealsFromAllOverTheData) {
  const data::FakeSource source(/*record_count=*/9, /*label_count=*/0);
  EXPECT_EQ(records_shown(source, 3, 0), (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(records_shown(source, 4, 0), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(records_shown(data::FakeSource(2, 0), 3, 0), (std::vector<int>{0, 1, 0}));
}

// Nine rows of two for ten labels: no label has a row, and none is left out.
TEST(SampleGrids, ShowAllLabelsIfThereAreMoreThanRows) {
  const TemporaryFolder run;
  TrainingConfig config;
  config.grid_rows = 9;
  config.grid_columns = 2;
  const data::FakeSource source(/*record_count=*/10, /*label_count=*/10);
  SampleGrids(config, RunFolder(run.path())).write_reals(source, kFakePolicy, 10);
  const auto grid = data::decode_png(data::read_file(run / "samples/reals.png"));
  std::set<int> shown;  // record i begins with i
  for (std::size_t place = 0; place < 18; ++place) {
    const std::size_t top_left = (place / 2) * 2 * 4 + (place % 2) * 2;
    shown.insert(grid.hwc[top_left]);
  }
  EXPECT_EQ(shown.size(), 10);
}

/// Requires labels, of which it has one.
class OfOneLabel : public models::Generator {
 public:
  OfOneLabel() : Generator({.channels = 1, .resolution = 2}, /*z_dim=*/4, /*label_count=*/1) {
    register_parameter("weight", at::zeros({1}));
  }

  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                     kernels::RandomStream& /*random*/) override {
    EXPECT_TRUE(labels.defined());
    return at::zeros({z.size(0), 1, 2, 2});
  }
};

TEST(SampleGrids, GiveLabelsToAGeneratorThatTakesThem) {
  const TemporaryFolder run;
  OfOneLabel generator;
  TrainingConfig config;
  config.grid_rows = 1;
  config.grid_columns = 2;
  EXPECT_EQ(SampleGrids(config, RunFolder(run.path())).write_fakes(generator, 0).size(0), 2);
}

TEST(SampleGrids, NamesTheImageThatItCannotShow) {
  const TemporaryFolder folder;
  folder.write("data/a.png", data::encode_png(data::flat_image(3, 48, 9)));
  const auto source = data::open_source(folder / "data");
  const TrainingConfig config;
  const SampleGrids grids(config, RunFolder(folder / "run"));
  expect_error(ExitCode::kData, (folder / "data/a.png").string() + ", record 0",
               [&] { grids.write_reals(*source, {.channels = 3, .resolution = 32}, 0); });
}

}  // namespace
}  // namespace ganscale::training
