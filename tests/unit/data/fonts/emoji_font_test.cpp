#include "data/fonts/emoji_font.h"

#include "data/fonts/emoji_list.h"
#include "data/fonts/glyph_ligatures.h"
#include "data/image/decode.h"
#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

TEST(EmojiList, TakesTheFullyQualifiedOnes) {
  const TemporaryFolder folder;
  const auto file = folder.write("emoji-test.txt",
                                 "# group: Faces\n"
                                 "1F600         ; fully-qualified     # x E1.0 grinning face\n"
                                 "263A FE0F     ; fully-qualified     # x E0.6 smiling face\n"
                                 "263A          ; unqualified         # x E0.6 smiling face\n"
                                 "# group: Component\n"
                                 "1F3FB         ; component           # x E1.0 light skin tone\n"
                                 "# group: Flags\n"
                                 "1F1E6 1F1E8   ; fully-qualified     # x E2.0 flag: Ascension\n");
  const EmojiList list = read_emoji_list(file);
  ASSERT_EQ(list.emoji.size(), 3U);
  EXPECT_THAT(list.groups, testing::ElementsAre("Faces", "Flags"));
  EXPECT_EQ(list.emoji[0].name, "grinning face");
  EXPECT_THAT(list.emoji[1].code_points, testing::ElementsAre(0x263A));
  EXPECT_THAT(list.emoji[2].code_points, testing::ElementsAre(0x1F1E6, 0x1F1E8));
  EXPECT_EQ(list.emoji[2].group, 1);
}

// A GSUB table with one lookup of type 4: glyphs 5 6 7 become 40, glyphs 5 6 become 41.
const std::vector<std::uint8_t> kGsub = {
    0, 1,  0, 0, 0, 0,  0, 0,  0, 10,  // version, no scripts and features, lookups at 10
    0, 1,  0, 4,                       // one lookup, at 10 + 4
    0, 4,  0, 0, 0, 1,  0, 8,          // type 4, flags, one subtable, at 14 + 8
    0, 1,  0, 8, 0, 1,  0, 14,         // format 1, coverage at 22 + 8, one set at 22 + 14
    0, 1,  0, 1, 0, 5,                 // coverage: glyph 5
    0, 2,  0, 6, 0, 14,                // two ligatures, at 36 + 6 and 36 + 14
    0, 40, 0, 3, 0, 6,  0, 7,          // 40 of three glyphs: 5, 6, 7
    0, 41, 0, 2, 0, 6,                 // 41 of two glyphs: 5, 6
};

TEST(GlyphLigatures, TakeTheFirstThatMatches) {
  const GlyphLigatures ligatures(kGsub);
  EXPECT_THAT(ligatures.apply({5, 6, 7}), testing::ElementsAre(40));
  EXPECT_THAT(ligatures.apply({5, 6}), testing::ElementsAre(41));
  EXPECT_THAT(ligatures.apply({1, 5, 6, 8}), testing::ElementsAre(1, 41, 8));
  EXPECT_THAT(ligatures.apply({6, 5}), testing::ElementsAre(6, 5));
  EXPECT_THAT(GlyphLigatures({}).apply({5, 6}), testing::ElementsAre(5, 6));
}

TEST(GlyphLigatures, RefuseATableThatWasCutShortAnywhere) {
  for (std::size_t length = 1; length < kGsub.size(); ++length) {
    EXPECT_THROW(GlyphLigatures(std::span(kGsub).first(length)), DataError) << length;
  }
}

// 300 subtables that are the same, and have all glyphs 300 times: billions of numbers in 3 kB.
TEST(GlyphLigatures, RefuseATableWhosePartsOverlap) {
  constexpr std::uint16_t kCount = 300;
  std::vector<std::uint8_t> table;
  const auto append = [&](std::initializer_list<std::uint16_t> numbers) {
    for (const std::uint16_t number : numbers) {
      table.push_back(static_cast<std::uint8_t>(number >> 8));
      table.push_back(static_cast<std::uint8_t>(number));
    }
  };
  append({1, 0, 0, 0, 10, 1, 4, 4, 0, kCount});
  for (int i = 0; i < kCount; ++i) append({6 + 2 * kCount});
  append({1, 6, 0, 2, kCount});
  for (int i = 0; i < kCount; ++i) append({0, 65535, 0});
  expect_error(ExitCode::kData, "its parts overlap", [&] { GlyphLigatures{table}; });
}

TEST(EmojiFont, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.ttf", "not a font");
  expect_error(ExitCode::kData, "cannot open the font", [&] { open_source(file); });
  expect_error(ExitCode::kConfig, "an emoji font must be in the file system: s3://fonts/a.ttf",
               [] { open_emoji_font("s3://fonts/a.ttf"); });
}

TEST(EmojiFont, DrawsEmojiWithNineGroups) {
  if (!std::filesystem::exists(kEmojiFont) || !std::filesystem::exists(kEmojiList)) {
    GTEST_SKIP() << "needs the packages fonts-noto-color-emoji and unicode-data: " << kEmojiFont;
  }
  const auto source = open_source(kEmojiFont);
  EXPECT_GT(source->record_count(), 3000);
  EXPECT_EQ(source->label_count(), 9);
  EXPECT_EQ(source->label_names().front(), "Smileys & Emotion");
  Record record;
  source->read(0, record);
  EXPECT_EQ(record.width, 136);
  EXPECT_EQ(record.height, 128);
  const Image face = decode(record);
  const std::uint8_t* corner = face.hwc.data();
  const std::uint8_t* center = face.hwc.data() + 4 * (64 * 136 + 68);
  EXPECT_EQ(corner[3], 0);    // transparent
  EXPECT_EQ(center[3], 255);  // grinning face: a yellow disc
  EXPECT_GT(center[0], center[2]);
}

}  // namespace
}  // namespace ganscale::data
