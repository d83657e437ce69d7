#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace ganscale::report {

/// A video that is written frame by frame.
class VideoFile {
 public:
  virtual ~VideoFile() = default;

  /// Appends a frame. pixels: [H, W, C] uint8, C = 1 or 3, the same shape for all frames.
  /// Throws files::OutputError; Error(kBug) for other shapes.
  void append(const at::Tensor& pixels);

  /// Completes the file after the last frame. Throws files::OutputError.
  virtual void finish() = 0;

 private:
  virtual void write(const at::Tensor& pixels) = 0;

  std::vector<std::int64_t> shape_;  ///< of the frames so far; empty before the first
};

/// Opens a video of the format of its extension: .webp, .mp4, or .y4m for an uncompressed one. Creates
/// missing parent folders. Throws UsageError for .mp4 in a build without libav; files::OutputError.
std::unique_ptr<VideoFile> open_video(const std::filesystem::path& path, int frames_per_second);

}  // namespace ganscale::report
