#include "report/media/mp4_file.h"
#include "support/expect_error.h"

namespace ganscale::report {
namespace {

TEST(Mp4File, OfABuildWithoutLibavIsRefused) {
  expect_error(ExitCode::kUsage, "this build writes no MP4: write a .y4m file",
               [] { open_video("walk.mp4", 30); });
}

}  // namespace
}  // namespace ganscale::report
