#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "files/append_file.h"

namespace ganscale::report {

/// An uncompressed video in the YUV4MPEG2 format (.y4m), which all encoders read:
///
///   ffmpeg -i walk.y4m walk.mp4
///
/// Colors become luma and chroma by ITU-R BT.601, in limited range, without subsampling; gray
/// becomes luma alone.
class VideoFile {
 public:
  /// Creates or truncates the file. Creates missing parent folders. Throws OutputError.
  VideoFile(const std::filesystem::path& path, int frames_per_second);

  /// Appends a frame. pixels: [H, W, C] uint8, C = 1 or 3, the same shape for all frames.
  /// Throws files::OutputError; Error(kBug) for other shapes.
  void append(const at::Tensor& pixels);

 private:
  files::AppendFile file_;
  int frames_per_second_;
  std::vector<std::int64_t> shape_;  ///< of the frames so far; empty before the first
};

}  // namespace ganscale::report
