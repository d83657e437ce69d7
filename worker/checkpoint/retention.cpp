#include "checkpoint/retention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ganscale::checkpoint {
namespace {

constexpr std::array<std::pair<std::string_view, Better>, 7> kDirections{
    {{"fid", Better::kLower},
     {"class_fid", Better::kLower},
     {"kid", Better::kLower},
     {"ppl", Better::kLower},
     {"is", Better::kHigher},
     {"pr", Better::kHigher},
     {"dc", Better::kHigher}}};

bool is_measured(const RetentionCandidate& candidate) {
  return candidate.valid && candidate.metric && std::isfinite(*candidate.metric);
}

/// Returns the name of the best candidate, or an empty string if none was measured.
std::string best_of(const std::vector<RetentionCandidate>& oldest_first, Better better) {
  const RetentionCandidate* best = nullptr;
  for (const auto& candidate : oldest_first) {
    if (!is_measured(candidate)) continue;
    const bool wins =
        best == nullptr || (better == Better::kLower ? *candidate.metric < *best->metric
                                                     : *candidate.metric > *best->metric);
    if (wins) best = &candidate;
  }
  return best == nullptr ? std::string() : best->name;
}

}  // namespace

std::optional<Better> better_direction(std::string_view metric) {
  for (const auto& [prefix, better] : kDirections) {
    if (metric.starts_with(prefix)) return better;
  }
  return std::nullopt;
}

std::vector<std::string> checkpoints_to_delete(std::vector<RetentionCandidate> candidates,
                                               int keep_last, std::optional<Better> better) {
  std::ranges::sort(candidates, {}, &RetentionCandidate::images_seen);
  const auto best = better ? best_of(candidates, *better) : std::string();
  std::vector<std::string> doomed;
  int newer_valid_count = 0;
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    const bool is_kept =
        candidate->valid ? keep_last == 0 || newer_valid_count < keep_last : newer_valid_count == 0;
    if (!is_kept && candidate->name != best) doomed.push_back(candidate->name);
    if (candidate->valid) ++newer_valid_count;
  }
  std::ranges::reverse(doomed);
  return doomed;
}

}  // namespace ganscale::checkpoint
