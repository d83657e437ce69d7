#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace ganscale::data {

/// Paths of the Debian and Ubuntu packages `fonts-noto-color-emoji` and `unicode-data`.
inline constexpr char kEmojiFont[] = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";
inline constexpr char kEmojiList[] = "/usr/share/unicode/emoji/emoji-test.txt";

/// Opens a color bitmap font as a dataset: each image is an emoji of kEmojiList, RGBA in the
/// font's own size (136x128), and its label is the emoji's group in the list.
///
/// Skips emoji that the font does not have or draws as several glyphs; the log says how many.
/// Throws: DataError if the font or the list cannot be read, or the font has no color bitmaps.
std::unique_ptr<Source> open_emoji_font(const std::filesystem::path& font);

}  // namespace ganscale::data
