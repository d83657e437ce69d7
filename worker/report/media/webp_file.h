#pragma once

#include "report/media/video_file.h"

namespace ganscale::report {

/// Opens an animated WebP, which browsers play in a page, again and again. It is complete, and
/// replaces a file of this name, at the end; lossy, of high quality.
///
/// Throws: UsageError at the first frame if it is larger than 16383 pixels, the format's limit.
std::unique_ptr<VideoFile> open_webp(const std::filesystem::path& path, int frames_per_second);

}  // namespace ganscale::report
