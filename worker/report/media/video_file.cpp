#include "report/media/video_file.h"

#include "base/error.h"
#include "report/media/mp4_file.h"
#include "report/media/webp_file.h"
#include "report/media/y4m_file.h"

namespace ganscale::report {

void VideoFile::append(const at::Tensor& pixels) {
  check(pixels.dim() == 3 && pixels.scalar_type() == at::kByte, "a frame is [H, W, C] uint8");
  check(pixels.size(2) == 1 || pixels.size(2) == 3, "a frame has 1 or 3 channels");
  if (shape_.empty()) shape_ = pixels.sizes().vec();
  check(pixels.sizes() == at::IntArrayRef(shape_), "all frames of a video have one shape");
  write(pixels);
}

std::unique_ptr<VideoFile> open_video(const std::filesystem::path& path, int frames_per_second) {
  check(frames_per_second > 0, "a video has at least a frame a second");
  if (path.extension() == ".mp4") return open_mp4(path, frames_per_second);
  if (path.extension() == ".webp") return open_webp(path, frames_per_second);
  return open_y4m(path, frames_per_second);
}

}  // namespace ganscale::report
