#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "files/append_file.h"
#include "report/log/tick.h"
#include "report/media/image_grid.h"

namespace ganscale::report {

/// Writes TensorBoard event files of a run: scalars of ticks and grids of images, over images seen.
class Tensorboard {
 public:
  /// Starts a new file in `folder` (TensorBoard reads all of them) for a run that resumes after
  /// `images_seen` images: later events of older files are no longer shown. Throws OutputError.
  Tensorboard(const std::filesystem::path& folder, std::int64_t images_seen);

  /// Throws OutputError.
  void write_tick(const Tick& tick);
  /// images: as for make_grid(). Throws OutputError.
  void write_grid(const std::string& tag, const at::Tensor& images, GridLayout layout,
                  std::int64_t images_seen);

 private:
  void write(const std::string& event);

  files::AppendFile file_;
};

}  // namespace ganscale::report
