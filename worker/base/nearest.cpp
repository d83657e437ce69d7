#include "base/nearest.h"

#include <algorithm>
#include <iterator>

namespace ganscale {
namespace {

/// Returns how many letters to insert, remove or replace, or neighbors to swap, to get from one
/// name to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, substitute});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

/// Whether one name begins with the other, and that is long enough to be no accident.
bool share_start(std::string_view a, std::string_view b) {
  constexpr std::size_t kFewestLetters = 3;
  return std::min(a.size(), b.size()) >= kFewestLetters && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  const auto closest = std::ranges::min_element(
      known, {}, [&](const std::string& other) { return edit_distance(name, other); });
  const std::size_t most_edits = std::max<std::size_t>(1, name.size() / 3);
  if (closest != known.end() && edit_distance(name, *closest) <= most_edits) return *closest;
  std::vector<std::string> alike;
  std::ranges::copy_if(known, std::back_inserter(alike),
                       [&](const std::string& other) { return share_start(name, other); });
  return alike.size() == 1 ? std::optional(alike.front()) : std::nullopt;
}

}  // namespace ganscale
