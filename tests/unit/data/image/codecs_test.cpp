#include "data/image/codecs.h"

#include "data/image/decode.h"
#include "support/expect_error.h"
#include "unit/data/encoded.h"

namespace ganscale::data {
namespace {

Image decoded_file(const std::string& bytes) { return decode(make_record(Encoding::kFile, bytes)); }

TEST(Codecs, ReadTheSameImageFromEachFormat) {
  for (const FileOfAKind& file : files_of_all_kinds()) {
    const Image image = decoded_file(file.bytes);
    ASSERT_EQ(image.channels, 3) << file.format;
    ASSERT_EQ(image.height, 4) << file.format;
    ASSERT_EQ(image.width, 4) << file.format;
    ASSERT_EQ(image.hwc.size(), 48U) << file.format;
    EXPECT_FALSE(image.has_more_frames) << file.format;
    const int tolerance = file.format == "JPEG" ? 2 : 0;
    for (std::size_t i = 0; i < image.hwc.size(); ++i) {
      EXPECT_NEAR(image.hwc[i], i % 3 == 0 ? 255 : 0, tolerance) << file.format << " " << i;
    }
  }
}

TEST(Codecs, AreChosenByTheFirstBytes) {
  for (const FileOfAKind& file : files_of_all_kinds()) {
    EXPECT_EQ(codec_of(make_record(Encoding::kFile, file.bytes).bytes).name, file.format);
    EXPECT_TRUE(has_codec(file.extension));
  }
  EXPECT_FALSE(has_codec(".avif"));
  EXPECT_FALSE(has_codec(""));
}

TEST(Codecs, RefuseDataThatIsNotAnImage) {
  expect_error(ExitCode::kData, "file is empty", [] { decoded_file(""); });
  expect_error(ExitCode::kData, "not an image in a known format (PNG, JPEG, WebP, GIF, BMP, TIFF)",
               [] { decoded_file("<svg>"); });
  expect_error(ExitCode::kData, "not an image in a known format",
               [] { decoded_file("RIFF....WAVE"); });
}

TEST(Codecs, ReadTheShapeWithoutDecodingPixels) {
  for (const FileOfAKind& file : files_of_all_kinds()) {
    const Image shape = image_shape(make_record(Encoding::kFile, file.bytes));
    EXPECT_EQ(shape.channels, 3) << file.format;
    EXPECT_EQ(shape.height, 4) << file.format;
    EXPECT_EQ(shape.width, 4) << file.format;
    EXPECT_TRUE(shape.hwc.empty()) << file.format;
  }
}

TEST(Codecs, RefuseAFileThatWasCutShortAnywhere) {
  constexpr std::size_t kLongestStart = 12;  // shorter files have no known format
  for (const FileOfAKind& file : files_of_all_kinds()) {
    // libjpeg-turbo replaces the end marker, after which nothing is missing.
    const std::size_t end = file.bytes.size() - (file.format == "JPEG" ? 2 : 0);
    for (std::size_t length = kLongestStart; length < end; ++length) {
      expect_error(ExitCode::kData, file.format + " is damaged: ", [&] {
        decoded_file(file.bytes.substr(0, length));
      });
    }
  }
}

// Such a file may still hold an image; otherwise the error says why. Nothing else happens.
TEST(Codecs, SurviveAnyByteThatIsWrong) {
  for (const FileOfAKind& file : files_of_all_kinds()) {
    for (std::size_t i = 0; i < file.bytes.size(); ++i) {
      for (const int flipped : {0x01, 0x80, 0xff}) {
        std::string damaged = file.bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flipped);
        try {
          const Image shape = image_shape(make_record(Encoding::kFile, damaged));
          if (shape.height > 256 || shape.width > 256) continue;  // possible, and slow
          const Image image = decoded_file(damaged);
          EXPECT_EQ(image.hwc.size(), std::size_t(image.channels) * image.height * image.width);
        } catch (const DataError& error) {
          EXPECT_NE(std::string(error.what()), "") << file.format << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ganscale::data
