#pragma once

#include "report/media/video_file.h"

namespace ganscale::report {

/// Opens an uncompressed video in the YUV4MPEG2 format, which all encoders read. It replaces a file
/// of this name.
///
/// Colors become luma and chroma by ITU-R BT.601, in limited range, without subsampling; gray
/// becomes luma alone.
std::unique_ptr<VideoFile> open_y4m(const std::filesystem::path& path, int frames_per_second);

}  // namespace ganscale::report
