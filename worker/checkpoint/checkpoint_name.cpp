#include "checkpoint/checkpoint_name.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace ganscale::checkpoint {
namespace {

constexpr std::string_view kPrefix = "kimg-";

std::int64_t leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string checkpoint_name(std::int64_t images_seen) {
  const auto kimg = static_cast<long long>(images_seen / 1000);
  const auto rest = static_cast<int>(images_seen % 1000);
  std::array<char, 40> name{};
  if (rest == 0) {
    std::snprintf(name.data(), name.size(), "kimg-%06lld", kimg);
  } else {
    std::snprintf(name.data(), name.size(), "kimg-%06lld.%03d", kimg, rest);
  }
  return name.data();
}

std::optional<std::int64_t> images_of_checkpoint_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto digits = name.substr(kPrefix.size());
  const auto point = digits.find('.');
  const auto rest = point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
  const auto images_seen = leading_number(digits) * 1000 + leading_number(rest);
  // Accept only names that checkpoint_name() would return.
  if (images_seen < 0 || checkpoint_name(images_seen) != name) return std::nullopt;
  return images_seen;
}

}  // namespace ganscale::checkpoint
