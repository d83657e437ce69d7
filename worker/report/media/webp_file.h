#pragma once

#include <cstdint>

#include "report/media/video_file.h"

namespace ganscale::report {

/// Opens an animated WebP, which browsers play in a page, again and again. It is complete, and
/// replaces a file of this name, at the end; lossy, of high quality.
///
/// Throws: UsageError at the first frame if it is larger than 16383 pixels, the format's limit, and
/// before a frame that ends later than webp_milliseconds() can say.
std::unique_ptr<VideoFile> open_webp(const std::filesystem::path& path, int frames_per_second);

/// Returns how long so many frames are shown. Throws UsageError if libwebp, whose times are int,
/// can't count that long: 24 days.
int webp_milliseconds(std::int64_t frames, int frames_per_second);

}  // namespace ganscale::report
