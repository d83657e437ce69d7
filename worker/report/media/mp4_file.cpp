#include "report/media/mp4_file.h"

#include <string>

#include "files/atomic_file.h"
#include "files/handle.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace ganscale::report {
namespace {

using Format = PointerHandle<AVFormatContext, [](AVFormatContext* format) {
  avio_closep(&format->pb);
  avformat_free_context(format);
}>;
using Encoder =
    PointerHandle<AVCodecContext, [](AVCodecContext* encoder) { avcodec_free_context(&encoder); }>;
using Frame = PointerHandle<AVFrame, [](AVFrame* frame) { av_frame_free(&frame); }>;
using Packet = PointerHandle<AVPacket, [](AVPacket* packet) { av_packet_free(&packet); }>;
using Scaler = PointerHandle<SwsContext, sws_freeContext>;

constexpr AVPixelFormat kPixelFormat = AV_PIX_FMT_YUV420P;

int up_to_even(std::int64_t size) { return static_cast<int>(size + size % 2); }

/// Returns x264, or the encoder that every libavcodec has.
const AVCodec* find_encoder() {
  const AVCodec* x264 = avcodec_find_encoder_by_name("libx264");
  return x264 != nullptr ? x264 : avcodec_find_encoder(AV_CODEC_ID_MPEG4);
}

/// Asks for a quality at which losses are hardly visible.
void set_quality(AVCodecContext* encoder) {
  if (encoder->codec_id == AV_CODEC_ID_H264) {
    av_opt_set(encoder->priv_data, "crf", "16", 0);
    return;
  }
  encoder->flags |= AV_CODEC_FLAG_QSCALE;
  encoder->global_quality = 2 * FF_QP2LAMBDA;
}

class Mp4File : public VideoFile {
 public:
  Mp4File(std::filesystem::path path, int frames_per_second)
      : path_(std::move(path)), frames_per_second_(frames_per_second) {
    av_log_set_level(AV_LOG_ERROR);  // encoders print what they are
    std::error_code ignored;         // avio_open() reports the reason
    if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), ignored);
    AVFormatContext* format = nullptr;
    require(avformat_alloc_output_context2(&format, nullptr, "mp4", path_.c_str()));
    format_ = Format(format);
    require(avio_open(&format->pb, path_.c_str(), AVIO_FLAG_WRITE));
  }

  void finish() override {
    encode(nullptr);
    require(av_write_trailer(format_.get()));
    require(avio_closep(&format_.get()->pb));
  }

 private:
  void require(int code) const {
    if (code >= 0) return;
    char why[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, why, sizeof why);
    throw files::OutputError("can't write: " + path_.string() + ": " + why);
  }

  void open_encoder(std::int64_t height, std::int64_t width) {
    const AVCodec* codec = find_encoder();
    if (codec == nullptr) require(AVERROR_ENCODER_NOT_FOUND);
    encoder_ = Encoder(avcodec_alloc_context3(codec));
    AVCodecContext* encoder = encoder_.get();
    if (encoder == nullptr) require(AVERROR(ENOMEM));
    encoder->width = up_to_even(width);
    encoder->height = up_to_even(height);
    encoder->pix_fmt = kPixelFormat;
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->colorspace = AVCOL_SPC_SMPTE170M;
    encoder->time_base = {1, frames_per_second_};
    encoder->framerate = {frames_per_second_, 1};
    if ((format_.get()->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
      encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    set_quality(encoder);
    require(avcodec_open2(encoder, codec, nullptr));
  }

  void write_header() {
    stream_ = avformat_new_stream(format_.get(), nullptr);
    if (stream_ == nullptr) require(AVERROR(ENOMEM));
    stream_->time_base = encoder_.get()->time_base;
    stream_->avg_frame_rate = encoder_.get()->framerate;
    require(avcodec_parameters_from_context(stream_->codecpar, encoder_.get()));
    AVDictionary* options = nullptr;
    av_dict_set(&options, "movflags", "+faststart", 0);  // browsers play before they have it all
    const int code = avformat_write_header(format_.get(), &options);
    av_dict_free(&options);
    require(code);
  }

  void start(std::int64_t height, std::int64_t width) {
    open_encoder(height, width);
    write_header();
    const AVCodecContext* encoder = encoder_.get();
    frame_ = Frame(av_frame_alloc());
    packet_ = Packet(av_packet_alloc());
    scaler_ = Scaler(sws_getContext(static_cast<int>(width), static_cast<int>(height),
                                    AV_PIX_FMT_RGB24, encoder->width, encoder->height, kPixelFormat,
                                    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr,
                                    nullptr, nullptr));
    if (frame_.get() == nullptr || packet_.get() == nullptr || scaler_.get() == nullptr) {
      require(AVERROR(ENOMEM));
    }
    frame_.get()->format = kPixelFormat;
    frame_.get()->width = encoder->width;
    frame_.get()->height = encoder->height;
    require(av_frame_get_buffer(frame_.get(), 0));
  }

  void write(const at::Tensor& pixels) override {
    if (encoder_.get() == nullptr) start(pixels.size(0), pixels.size(1));
    AVFrame* frame = frame_.get();
    require(av_frame_make_writable(frame));  // the encoder may still read the last one
    const auto rgb = pixels.expand({-1, -1, 3}).contiguous();
    const std::uint8_t* rows = rgb.const_data_ptr<std::uint8_t>();
    const int row_bytes = static_cast<int>(rgb.size(1) * 3);
    require(sws_scale(scaler_.get(), &rows, &row_bytes, 0, static_cast<int>(rgb.size(0)),
                      frame->data, frame->linesize));
    frame->pts = next_frame_++;
    encode(frame);
  }

  /// Writes the packets that are ready; all that are left, for no frame.
  void encode(const AVFrame* frame) {
    require(avcodec_send_frame(encoder_.get(), frame));
    for (;;) {
      AVPacket* packet = packet_.get();
      const int code = avcodec_receive_packet(encoder_.get(), packet);
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
      require(code);
      packet->stream_index = stream_->index;
      packet->duration = 1;
      av_packet_rescale_ts(packet, encoder_.get()->time_base, stream_->time_base);
      require(av_interleaved_write_frame(format_.get(), packet));
    }
  }

  std::filesystem::path path_;
  int frames_per_second_;
  Format format_;
  AVStream* stream_ = nullptr;  ///< of format_
  Encoder encoder_;
  Frame frame_;
  Packet packet_;
  Scaler scaler_;
  std::int64_t next_frame_ = 0;
};

}  // namespace

std::unique_ptr<VideoFile> open_mp4(const std::filesystem::path& path, int frames_per_second) {
  return std::make_unique<Mp4File>(path, frames_per_second);
}

}  // namespace ganscale::report
