#include "report/media/image_grid.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <png.h>

#include <vector>

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

using testing::ElementsAre;

std::vector<int> values(const at::Tensor& tensor) {
  const auto flat = tensor.to(at::kInt).contiguous().view(-1);
  return {flat.const_data_ptr<int>(), flat.const_data_ptr<int>() + flat.numel()};
}

at::Tensor decode_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  const int channels = (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  auto pixels = at::empty({image.height, image.width, channels}, at::kByte);
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data_ptr(), 0, nullptr), 0);
  return pixels;
}

TEST(ImageGrid, EnlargesImagesButNotTheGaps) {
  const auto images = at::tensor({1, 2, 3, 4}, at::kByte).view({2, 1, 1, 2});
  const auto grid = make_grid(images, {.columns = 1, .gap_pixels = 1, .scale = 2});
  EXPECT_EQ(grid.sizes(), (std::vector<std::int64_t>{5, 4, 1}));
  EXPECT_THAT(values(grid), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 255, 255, 255, 255,  //
                                        3, 3, 4, 4, 3, 3, 4, 4));
}

TEST(ImageGrid, LaysImagesOutRowByRow) {
  const auto images = at::arange(1, 4).to(at::kByte).view({3, 1, 1, 1});
  const auto grid = make_grid(images, {.columns = 2});
  EXPECT_EQ(grid.sizes(), (std::vector<std::int64_t>{2, 2, 1}));
  EXPECT_THAT(values(grid), ElementsAre(1, 2, 3, 255));  // the place left over is white
}

TEST(ImageGrid, LeavesAWhiteGapBetweenImagesOnly) {
  const auto images = at::zeros({4, 1, 1, 1}, at::kByte);
  const auto grid = make_grid(images, {.columns = 2, .gap_pixels = 1});
  EXPECT_THAT(values(grid), ElementsAre(0, 255, 0, 255, 255, 255, 0, 255, 0));
}

TEST(ImageGrid, MapsMinusOneToOneOntoBytesAndClamps) {
  const std::vector<float> pixels{-1.0F, 0.0F, 1.0F, -7.0F, 7.0F, NAN};
  const auto images = at::tensor(pixels).view({6, 1, 1, 1});
  EXPECT_THAT(values(make_grid(images, {.columns = 6})), ElementsAre(0, 128, 255, 0, 255, 0));
}

TEST(ImageGrid, GivesRealImagesBackUnchanged) {
  const auto bytes = at::arange(256).to(at::kByte).view({1, 1, 16, 16});
  const auto images = bytes.to(at::kFloat) / 127.5 - 1;
  EXPECT_TRUE(at::equal(make_grid(images, {.columns = 1}).view(-1), bytes.view(-1)));
}

TEST(ImageGrid, WritesGrayAndColorPng) {
  for (const std::int64_t channels : {1, 3}) {
    const auto images =
        at::arange(2 * channels * 5 * 3).to(at::kByte).view({2, channels, 5, 3}) * 7;
    const TemporaryFolder folder;
    write_image_grid(images, {.columns = 2}, folder / "samples/grid.png");
    const auto pixels = decode_png(files::read_file(folder / "samples/grid.png"));
    EXPECT_EQ(pixels.sizes(), (std::vector<std::int64_t>{5, 6, channels}));
    EXPECT_TRUE(at::equal(pixels.narrow(1, 3, 3), images[1].permute({1, 2, 0})));
  }
}

TEST(ImageGrid, SquareLayoutIsNotHigherThanWide) {
  EXPECT_EQ(square_layout(64).columns, 8);
  EXPECT_EQ(square_layout(65).columns, 9);
  EXPECT_EQ(square_layout(1).columns, 1);
}

TEST(OutputFile, NamesTheFileAndTheReasonAndLeavesNothing) {
  const TemporaryFolder folder;
  files::write_file_atomically(folder / "plain", "x");
  expect_error(ExitCode::kData, "Not a directory",
               [&] { files::write_file_atomically(folder / "plain/grid.png", "y"); });
  std::filesystem::create_directories(folder / "taken/full");
  expect_error(ExitCode::kData, "taken: Is a directory",
               [&] { files::write_file_atomically(folder / "taken", "y"); });
  expect_error(ExitCode::kData, "can't read", [&] { files::read_file(folder / "taken"); });
  const auto entries = std::distance(std::filesystem::directory_iterator(folder.path()), {});
  EXPECT_EQ(entries, 2);  // "plain" and "taken"
}

}  // namespace
}  // namespace ganscale::report
