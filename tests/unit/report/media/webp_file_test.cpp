#include "report/media/webp_file.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <webp/demux.h>

#include <memory>

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

struct DecoderDeleter {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

at::Tensor frame_of(int red, int green, int blue) {
  return at::tensor({red, green, blue}, at::kByte).expand({16, 24, 3});
}

TEST(WebpFile, HoldsTheFramesForAsLongAsEachTakes) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "new" / "walk.webp";
  const auto video = open_video(path, 20);
  video->append(frame_of(255, 0, 0));
  video->append(frame_of(0, 0, 255));
  video->append(frame_of(255, 255, 255));
  video->finish();

  const std::string bytes = files::read_file(path);
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, DecoderDeleter> decoder(
      WebPAnimDecoderNew(&data, nullptr));
  ASSERT_NE(decoder, nullptr);
  WebPAnimInfo info;
  ASSERT_NE(WebPAnimDecoderGetInfo(decoder.get(), &info), 0);
  EXPECT_EQ(info.canvas_width, 24U);
  EXPECT_EQ(info.canvas_height, 16U);
  EXPECT_EQ(info.frame_count, 3U);
  EXPECT_EQ(info.loop_count, 0U);
  std::uint8_t* rgba = nullptr;
  int end_ms = 0;
  ASSERT_NE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &end_ms), 0);
  EXPECT_EQ(end_ms, 50);
  EXPECT_NEAR(rgba[0], 255, 3);
  EXPECT_NEAR(rgba[2], 0, 3);
  ASSERT_NE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &end_ms), 0);
  EXPECT_NEAR(rgba[0], 0, 3);
  EXPECT_NEAR(rgba[2], 255, 3);
  ASSERT_NE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &end_ms), 0);
  EXPECT_EQ(end_ms, 150);
}

TEST(WebpFile, OfGrayImagesIsGray) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "walk.webp";
  const auto video = open_video(path, 30);
  video->append(at::full({8, 8, 1}, 100, at::kByte));
  video->finish();
  const std::string bytes = files::read_file(path);
  int width = 0;
  int height = 0;
  const std::unique_ptr<std::uint8_t, void (*)(void*)> rgb(
      WebPDecodeRGB(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &width,
                    &height),
      WebPFree);
  ASSERT_NE(rgb, nullptr);
  for (int channel = 0; channel < 3; ++channel) EXPECT_NEAR(rgb.get()[channel], 100, 3);
}

TEST(WebpFile, IsNotThereUntilItIsComplete) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "walk.webp";
  const auto video = open_video(path, 30);
  video->append(frame_of(1, 2, 3));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// 2147484 frames, times 1000, exceed an int.
TEST(WebpFile, CountsTheTimeOfManyFrames) {
  EXPECT_EQ(webp_milliseconds(0, 30), 0);
  EXPECT_EQ(webp_milliseconds(2, 30), 66);
  EXPECT_EQ(webp_milliseconds(2'147'484, 30), 71'582'800);
  EXPECT_EQ(webp_milliseconds(64'424'509, 30), 2'147'483'633);
}

TEST(WebpFile, RefusesMoreFramesThanItsTimesCanCount) {
  expect_error(
      ExitCode::kUsage,
      "a WebP lasts at most 24 days; write fewer frames, or an .mp4 file: 64424510 frames, "
      "30 a second",
      [] { webp_milliseconds(64'424'510, 30); });
}

TEST(WebpFile, RefusesFramesThatTheFormatCannotHold) {
  expect_error(ExitCode::kUsage, "at most 16383 pixels a side: 16384 x 1",
               [] { open_video("walk.webp", 30)->append(at::zeros({1, 16384, 1}, at::kByte)); });
}

}  // namespace
}  // namespace ganscale::report
