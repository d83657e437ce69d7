#pragma once

#include "report/media/video_file.h"

namespace ganscale::report {

/// Opens a video in the MP4 format: H.264 by x264 if libavcodec has it, otherwise MPEG-4 part 2. It
/// replaces a file of this name.
///
/// Colors become luma and chroma by ITU-R BT.601, in limited range, the chroma at half the size,
/// which all players show; a frame of odd width or height grows by a pixel.
/// Throws: UsageError in a build without libav; files::OutputError.
std::unique_ptr<VideoFile> open_mp4(const std::filesystem::path& path, int frames_per_second);

}  // namespace ganscale::report
