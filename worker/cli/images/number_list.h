#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ganscale::cli {

/// Parses numbers and inclusive ranges: "0-3,7" is {0, 1, 2, 3, 7}. Throws UsageError that starts
/// with `option`, also for more than a million numbers.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text);

/// Consecutive numbers in a list.
struct Span {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const Span&) const = default;
};

/// Splits a list into spans of consecutive numbers, at most `limit` each.
std::vector<Span> consecutive_spans(const std::vector<std::int64_t>& numbers, std::int64_t limit);

}  // namespace ganscale::cli
