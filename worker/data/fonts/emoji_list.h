#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ganscale::data {

/// An emoji in Unicode's list.
struct Emoji {
  std::vector<std::uint32_t> code_points;  ///< without variation selectors
  std::string name;                        ///< "grinning face"
  std::int64_t group = 0;                  ///< index into EmojiList::groups
};

struct EmojiList {
  std::vector<Emoji> emoji;         ///< the fully qualified ones, in file order
  std::vector<std::string> groups;  ///< that are not empty: "Smileys & Emotion", ...
};

/// Reads Unicode's `emoji-test.txt`. Throws DataError with file and line.
///
/// Format: UTS #51, and the file's own header.
EmojiList read_emoji_list(const std::filesystem::path& file);

}  // namespace ganscale::data
