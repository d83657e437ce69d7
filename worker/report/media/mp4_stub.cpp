// Replaces mp4_file.cpp in a build without libav.
#include "base/error.h"
#include "report/media/mp4_file.h"

namespace ganscale::report {

std::unique_ptr<VideoFile> open_mp4(const std::filesystem::path& path, int /*frames_per_second*/) {
  throw UsageError(
      "this build writes no MP4: write a .y4m file, or run scripts/setup.sh video and build "
      "again: " +
      path.string());
}

}  // namespace ganscale::report
