#include "checkpoint/retention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

namespace ganscale::checkpoint {
namespace {

constexpr std::array<std::pair<std::string_view, Better>, 7> kDirections{{{"fid", Better::kLower},
                                                                          {"kid", Better::kLower},
                                                                          {"ppl", Better::kLower},
                                                                          {"is", Better::kHigher},
                                                                          {"eq", Better::kHigher},
                                                                          {"pr", Better::kHigher},
                                                                          {"dc", Better::kHigher}}};

bool is_measured(const RetentionCandidate& candidate) {
  return candidate.valid && candidate.metric && std::isfinite(*candidate.metric);
}

/// Returns the names of the best candidates.
std::set<std::string> best_of(const std::vector<RetentionCandidate>& oldest_first,
                              const RetentionPolicy& policy) {
  if (!policy.better) return {};
  std::vector<RetentionCandidate> measured;
  std::ranges::copy_if(oldest_first, std::back_inserter(measured), is_measured);
  const double sign = *policy.better == Better::kLower ? 1 : -1;
  std::ranges::stable_sort(
      measured, {}, [&](const RetentionCandidate& candidate) { return sign * *candidate.metric; });
  std::set<std::string> names;
  for (const auto& candidate : measured | std::views::take(policy.keep_best))
    names.insert(candidate.name);
  return names;
}

}  // namespace

std::optional<Better> better_direction(std::string_view metric) {
  for (const auto& [prefix, better] : kDirections) {
    if (metric.starts_with(prefix)) return better;
  }
  return std::nullopt;
}

std::vector<std::string> checkpoints_to_delete(std::vector<RetentionCandidate> candidates,
                                               const RetentionPolicy& policy) {
  std::ranges::sort(candidates, {}, &RetentionCandidate::images_seen);
  const auto best = best_of(candidates, policy);
  std::vector<std::string> doomed;
  int newer_valid_count = 0;
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    const bool is_new = candidate->valid
                            ? policy.keep_last == 0 || newer_valid_count < policy.keep_last
                            : newer_valid_count == 0;
    if (!is_new && !best.contains(candidate->name)) doomed.push_back(candidate->name);
    if (candidate->valid) ++newer_valid_count;
  }
  std::ranges::reverse(doomed);
  return doomed;
}

}  // namespace ganscale::checkpoint
