#include "report/media/mp4_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace ganscale::report {
namespace {

/// What a player sees of a video.
struct Decoded {
  int width = 0;
  int height = 0;
  double frames_per_second = 0;
  double seconds = 0;
  /// The means of the three planes, Y, Cb and Cr, of each frame.
  std::vector<std::array<double, 3>> means = {};
};

std::array<double, 3> means_of(const AVFrame& frame) {
  std::array<double, 3> means = {};
  for (int plane = 0; plane < 3; ++plane) {
    const int half = plane == 0 ? 1 : 2;
    const int rows = frame.height / half;
    const int columns = frame.width / half;
    double sum = 0;
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) sum += frame.data[plane][y * frame.linesize[plane] + x];
    }
    means.at(plane) = sum / (rows * columns);
  }
  return means;
}

void receive_frames(AVCodecContext* decoder, Decoded& result) {
  AVFrame* frame = av_frame_alloc();
  while (avcodec_receive_frame(decoder, frame) == 0) result.means.push_back(means_of(*frame));
  av_frame_free(&frame);
}

Decoded decode(const std::filesystem::path& file) {
  AVFormatContext* format = nullptr;
  EXPECT_EQ(avformat_open_input(&format, file.c_str(), nullptr, nullptr), 0);
  EXPECT_GE(avformat_find_stream_info(format, nullptr), 0);
  EXPECT_EQ(format->nb_streams, 1U);
  const AVStream* stream = format->streams[0];
  AVCodecContext* decoder =
      avcodec_alloc_context3(avcodec_find_decoder(stream->codecpar->codec_id));
  avcodec_parameters_to_context(decoder, stream->codecpar);
  EXPECT_EQ(avcodec_open2(decoder, nullptr, nullptr), 0);
  Decoded result{.width = decoder->width,
                 .height = decoder->height,
                 .frames_per_second = av_q2d(stream->avg_frame_rate),
                 .seconds = static_cast<double>(format->duration) / AV_TIME_BASE};
  EXPECT_EQ(decoder->pix_fmt, AV_PIX_FMT_YUV420P);
  AVPacket* packet = av_packet_alloc();
  while (av_read_frame(format, packet) == 0) {
    EXPECT_EQ(avcodec_send_packet(decoder, packet), 0);
    av_packet_unref(packet);
    receive_frames(decoder, result);
  }
  avcodec_send_packet(decoder, nullptr);
  receive_frames(decoder, result);
  av_packet_free(&packet);
  avcodec_free_context(&decoder);
  avformat_close_input(&format);
  return result;
}

at::Tensor filled(int height, int width, at::ArrayRef<int> color) {
  return at::tensor(color).to(at::kByte).expand({height, width, -1}).contiguous();
}

// White, red, blue and black by BT.601 in limited range, as in video_file_test.
TEST(Mp4File, IsDecodedAsTheFramesThatWereWritten) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "new" / "walk.mp4";
  const auto video = open_video(path, 25);
  for (int i = 0; i < 5; ++i) {
    video->append(filled(32, 48, {255, 255, 255}));
    video->append(filled(32, 48, {255, 0, 0}));
    video->append(filled(32, 48, {0, 0, 255}));
    video->append(filled(32, 48, {0, 0, 0}));
  }
  video->finish();
  const Decoded decoded = decode(path);
  EXPECT_EQ(decoded.width, 48);
  EXPECT_EQ(decoded.height, 32);
  EXPECT_NEAR(decoded.frames_per_second, 25, 1e-6);
  EXPECT_NEAR(decoded.seconds, 20.0 / 25, 0.01);
  ASSERT_EQ(decoded.means.size(), 20U);
  constexpr std::array<std::array<double, 3>, 4> kExpected = {
      {{235, 128, 128}, {81, 90, 240}, {41, 240, 110}, {16, 128, 128}}};
  for (std::size_t frame = 0; frame < decoded.means.size(); ++frame) {
    for (std::size_t plane = 0; plane < 3; ++plane) {
      EXPECT_NEAR(decoded.means[frame].at(plane), kExpected.at(frame % 4).at(plane), 3)
          << "frame " << frame << ", plane " << plane;
    }
  }
}

// 129 of 255 is 126.8 in limited range.
TEST(Mp4File, TakesGrayFramesOfOddSizesAndReplacesAnOlderFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "walk.mp4";
  files::write_file_atomically(path, std::string(100'000, 'x'));
  const auto video = open_video(path, 30);
  for (int i = 0; i < 3; ++i) video->append(filled(33, 27, {129}));
  video->finish();
  EXPECT_LT(std::filesystem::file_size(path), 20'000U);
  const Decoded decoded = decode(path);
  EXPECT_EQ(decoded.width, 28);
  EXPECT_EQ(decoded.height, 34);
  ASSERT_EQ(decoded.means.size(), 3U);
  EXPECT_NEAR(decoded.means[2][0], 126.8, 2);
  EXPECT_NEAR(decoded.means[2][1], 128, 1);
}

TEST(Mp4File, ThatCannotBeWrittenIsNamed) {
  expect_error(ExitCode::kData, "can't write: /proc/walk.mp4",
               [] { open_video("/proc/walk.mp4", 30); });
}

}  // namespace
}  // namespace ganscale::report
