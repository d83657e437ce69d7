#include "report/media/y4m_file.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "files/atomic_file.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

// Black, white, red and blue: BT.601 in limited range.
TEST(Y4mFile, HoldsPlanesOfLumaAndChroma) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "new" / "walk.y4m";
  const auto pixels = at::tensor({0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255}, at::kByte);
  const auto video = open_video(path, 25);
  video->append(pixels.view({1, 4, 3}));
  video->append(pixels.view({1, 4, 3}));
  video->finish();
  const std::string frame =
      "FRAME\n"
      "\x10\xEB\x51\x29"
      "\x80\x80\x5A\xF0"
      "\x80\x80\xF0\x6E";
  EXPECT_EQ(files::read_file(path), "YUV4MPEG2 W4 H1 F25:1 Ip A1:1 C444\n" + frame + frame);
}

// 16 + 219 / 255 of the gray: 16, 71.8, 126.8 and 235, as the luma of a gray color.
TEST(Y4mFile, OfGrayImagesHasOnePlaneAndReplacesAnOlderFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "walk.y4m";
  files::write_file_atomically(path, std::string(1000, 'x'));
  open_video(path, 30)->append(at::tensor({0, 65, 129, 255}, at::kByte).view({2, 2, 1}));
  EXPECT_EQ(files::read_file(path), "YUV4MPEG2 W2 H2 F30:1 Ip A1:1 Cmono\nFRAME\n\x10\x48\x7F\xEB");
}

}  // namespace
}  // namespace ganscale::report
