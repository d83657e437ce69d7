#include "data/formats/brace_pattern.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr std::size_t kMostNames = 100'000;
constexpr std::size_t kLongestPattern = std::size_t{1} << 16;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse_braces(std::string_view why, std::string_view braces) {
  throw DataError(std::string(why) + ": {" + std::string(braces) + "}");
}

/// Returns the texts that the inside of braces stands for.
std::vector<std::string> options_of(std::string_view braces) {
  std::vector<std::string> options;
  if (const auto dots = braces.find(".."); dots != std::string_view::npos) {
    const auto first = number_of(braces.substr(0, dots));
    const auto last = number_of(braces.substr(dots + 2));
    if (!first || !last) refuse_braces("braces have no range of numbers", braces);
    if (*first > *last) refuse_braces("the range in braces runs backward", braces);
    if (*last - *first >= static_cast<std::int64_t>(kMostNames))
      refuse_braces("the range in braces has more than 100,000 numbers", braces);
    for (std::int64_t i = *first; i <= *last; ++i)
      options.push_back(fmt::format("{:0{}}", i, dots));
    return options;
  }
  if (braces.find(',') == std::string_view::npos)
    refuse_braces("braces have neither a range (000..146) nor a list (train,test)", braces);
  for (std::size_t begin = 0; begin <= braces.size();) {
    const std::size_t end = std::min(braces.find(',', begin), braces.size());
    options.emplace_back(braces.substr(begin, end - begin));
    begin = end + 1;
  }
  return options;
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  if (pattern.size() > kLongestPattern)
    throw DataError("pattern has more than 65536 characters: " + pattern.substr(0, 40) + "...");
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {pattern};
  const std::string before = pattern.substr(0, open);
  const auto options = options_of(std::string_view(pattern).substr(open + 1, close - open - 1));
  const auto ends = expand_braces(pattern.substr(close + 1));
  if (options.size() * ends.size() > kMostNames)
    throw DataError("pattern stands for more than 100,000 names: " + pattern);
  std::vector<std::string> names;
  for (const std::string& option : options) {
    for (const std::string& end : ends) names.push_back(before + option + end);
  }
  return names;
}

}  // namespace ganscale::data
