#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ganscale::cli {

/// Reads numbers and ranges: "0-3,7" is {0, 1, 2, 3, 7}; both ends belong to a range. Throws
/// UsageError that begins with `option`, also for more than a million numbers.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text);

/// A part of a list that counts up by one.
struct Span {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const Span&) const = default;
};

/// Cuts a list into parts that count up by one, of at most `limit` numbers each.
std::vector<Span> consecutive_spans(const std::vector<std::int64_t>& numbers, std::int64_t limit);

}  // namespace ganscale::cli
