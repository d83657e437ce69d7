#include "cli/images/number_list.h"

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "config/units.h"

namespace ganscale::cli {
namespace {

constexpr std::int64_t kMostNumbers = 1'000'000;

Span parse_range(const std::string& option, const std::string& text) {
  const auto dash = text.find('-');
  const auto first = config::parse_integer(text.substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : config::parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) {
    throw UsageError(option + ": expected numbers and ranges, such as 0-63,100: " + text);
  }
  // One more number than there can be must not overflow.
  return {*first, std::min(*last - *first, kMostNumbers) + 1};
}

}  // namespace

std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const Span range = parse_range(option, part);
    if (range.count > kMostNumbers - static_cast<std::int64_t>(numbers.size())) {
      throw UsageError(option + ": more than a million numbers: " + text);
    }
    for (std::int64_t i = 0; i < range.count; ++i) numbers.push_back(range.first + i);
  }
  return numbers;
}

std::vector<Span> consecutive_spans(const std::vector<std::int64_t>& numbers, std::int64_t limit) {
  std::vector<Span> spans;
  for (const auto number : numbers) {
    const bool goes_on = !spans.empty() && spans.back().count < limit &&
                         number > spans.back().first &&
                         number - spans.back().first == spans.back().count;
    if (goes_on) {
      ++spans.back().count;
    } else {
      spans.push_back({number, 1});
    }
  }
  return spans;
}

}  // namespace ganscale::cli
