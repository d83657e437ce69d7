#include "data/fonts/letters.h"

#include <algorithm>
#include <filesystem>

#include "data/image/decode.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

// A face of the package fonts-dejavu-core, which Debian's and Ubuntu's fontconfig depends on.
constexpr char kSans[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
constexpr char kSansBold[] = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf";

class Letters : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kSans) || !std::filesystem::exists(kSansBold))
      GTEST_SKIP() << "needs the package fonts-dejavu-core: " << kSans;
  }
};

Image drawn(const Source& source, std::int64_t index) {
  Record record;
  source.read(index, record);
  EXPECT_EQ(record.label, source.label(index));
  return decode(record);
}

/// Returns the first and last column, or row, that has a dark pixel.
std::pair<int, int> ink_range(const Image& image, bool columns) {
  std::pair range(image.width, -1);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.hwc[static_cast<std::size_t>(y) * image.width + x] > 127) continue;
      range = {std::min(range.first, columns ? x : y), std::max(range.second, columns ? x : y)};
    }
  }
  return range;
}

TEST_F(Letters, AreDrawnBlackOnWhiteAndCentered) {
  const auto source = open_letters(kSans, "OI");
  ASSERT_EQ(source->record_count(), 2);
  const Image o = drawn(*source, 0);
  EXPECT_EQ(o.channels, 1);
  EXPECT_EQ(o.width, 128);
  EXPECT_EQ(o.height, 128);
  EXPECT_EQ(o.hwc[0], 255);                            // corner
  EXPECT_EQ(o.hwc[64 * 128 + 64], 255);                // the hole of an O
  EXPECT_EQ(ink_range(o, false), std::pair(12, 115));  // its height is 104 of 128 pixels
  const auto [left, right] = ink_range(o, true);
  EXPECT_NEAR(left, 127 - right, 1);
  EXPECT_EQ(drawn(*source, 1).hwc[64 * 128 + 64], 0);  // the stem of an I
}

TEST_F(Letters, AreTheLabels) {
  const auto source = open_letters(kSans, "Aß");
  EXPECT_EQ(source->label_count(), 2);
  EXPECT_THAT(source->label_names(), testing::ElementsAre("A", "ß"));
  EXPECT_EQ(source->label(1), 1);
  EXPECT_THAT(source->describe(1), testing::HasSubstr("DejaVuSans.ttf, record 1 (letter ß)"));
  EXPECT_EQ(open_letters(kSans)->label_count(), 26);
}

TEST_F(Letters, ComeFromAllFacesOfAFolderThatDiffer) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "more");
  std::filesystem::copy_file(kSans, folder.path() / "a.ttf");
  std::filesystem::copy_file(kSans, folder.path() / "more" / "same.ttf");
  std::filesystem::copy_file(kSansBold, folder.path() / "more" / "BOLD.TTF");
  folder.write("damaged.ttf", "not a font");
  folder.write("notes.txt", "not a font either");
  const auto source = open_letters(folder.path(), "AB");
  EXPECT_EQ(source->record_count(), 4);
  EXPECT_NE(drawn(*source, 0).hwc, drawn(*source, 2).hwc);
}

TEST_F(Letters, AreRefusedIfNoFaceHasThemOrIfRepeated) {
  expect_error(ExitCode::kData, "no typeface has all of the letters", [] {
    open_letters(kSans, "A\u5b57");  // DejaVu has no Han characters
  });
  expect_error(ExitCode::kData, "each of them once: \"ABA\"", [] { open_letters(kSans, "ABA"); });
  expect_error(ExitCode::kConfig, "the typefaces must be in the file system: s3://fonts/a.ttf",
               [] { open_letters("s3://fonts/a.ttf"); });
}

}  // namespace
}  // namespace ganscale::data
