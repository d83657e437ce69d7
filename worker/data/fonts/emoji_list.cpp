#include "data/fonts/emoji_list.h"

#include <fstream>
#include <regex>
#include <sstream>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr std::uint32_t kEmojiPresentation = 0xFE0F;  // "as an image": no glyph of its own

std::vector<std::uint32_t> parse_code_points(const std::string& text) {
  std::vector<std::uint32_t> code_points;
  std::istringstream in(text);
  for (std::uint32_t code_point = 0; in >> std::hex >> code_point;) {
    if (code_point != kEmojiPresentation) code_points.push_back(code_point);
  }
  return code_points;
}

}  // namespace

EmojiList read_emoji_list(const std::filesystem::path& file) {
  static const std::regex kGroup("# group: (.+)");
  static const std::regex kEmoji("([0-9A-F ]+); fully-qualified +# [^ ]+ E[0-9.]+ (.+)");
  std::ifstream in(file);
  if (!in) throw DataError("cannot open the list of emoji: " + file.string());
  constexpr std::size_t kLongestLineBytes = 1024;  // std::regex recurses with the text
  EmojiList list;
  std::string group;
  std::smatch parts;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.size() > kLongestLineBytes) {
      throw DataError("list of emoji has a line that is too long: " + file.string() + ":" +
                      std::to_string(number));
    }
    if (std::regex_match(line, parts, kGroup)) group = parts[1];
    if (!std::regex_match(line, parts, kEmoji)) continue;
    if (list.groups.empty() || list.groups.back() != group) list.groups.push_back(group);
    list.emoji.push_back({.code_points = parse_code_points(parts[1]),
                          .name = parts[2],
                          .group = static_cast<std::int64_t>(list.groups.size()) - 1});
  }
  if (list.emoji.empty()) throw DataError("list has no fully-qualified emoji: " + file.string());
  return list;
}

}  // namespace ganscale::data
