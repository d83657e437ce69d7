#include "checkpoint/checkpoint_name.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace ganscale::checkpoint {
namespace {

constexpr std::string_view kPrefix = "kimg-";
constexpr std::int64_t kMostKimg = std::numeric_limits<std::int64_t>::max() / 1000 - 1;

std::int64_t leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string checkpoint_name(std::int64_t images_seen) {
  const std::string kimg = fmt::format("kimg-{:06}", images_seen / 1000);
  const std::int64_t rest = images_seen % 1000;
  return rest == 0 ? kimg : fmt::format("{}.{:03}", kimg, rest);
}

std::optional<std::int64_t> images_of_checkpoint_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto digits = name.substr(kPrefix.size());
  const auto point = digits.find('.');
  const auto rest = point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
  const auto kimg = leading_number(digits);
  const auto images = leading_number(rest);
  if (kimg < 0 || kimg > kMostKimg || images < 0 || images > 999) return std::nullopt;
  const auto images_seen = kimg * 1000 + images;
  // Accept only names that checkpoint_name() would return.
  if (checkpoint_name(images_seen) != name) return std::nullopt;
  return images_seen;
}

std::filesystem::path path_with_name(const std::filesystem::path& folder) {
  std::error_code error;
  const auto path = std::filesystem::absolute(folder, error).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace ganscale::checkpoint
