#pragma once

#include <filesystem>
#include <memory>

#include "data/sources/source.h"

namespace ganscale::data {

/// Where Debian's and Ubuntu's packages `fonts-noto-color-emoji` and `unicode-data` put them.
inline constexpr char kEmojiFont[] = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";
inline constexpr char kEmojiList[] = "/usr/share/unicode/emoji/emoji-test.txt";

/// Opens a color font of bitmaps as a data set: an image is an emoji of Unicode's list, RGBA in
/// the font's own size (136x128), its label the group of the list that it is in.
///
/// An emoji that the font lacks, or draws as several glyphs, is left out; the log says how many.
/// Throws: DataError when the font or the list cannot be read, or the font has no color bitmaps.
std::unique_ptr<Source> open_font(const std::filesystem::path& font,
                                  const std::filesystem::path& emoji_list = kEmojiList);

}  // namespace ganscale::data
