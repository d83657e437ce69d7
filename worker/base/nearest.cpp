#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ganscale {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  const auto closest = std::ranges::min_element(
      known, {}, [&](const std::string& other) { return edit_distance(name, other); });
  if (closest == known.end() || edit_distance(name, *closest) > 1 + name.size() / 3) return {};
  return *closest;
}

}  // namespace ganscale
