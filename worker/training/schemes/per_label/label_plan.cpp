#include "training/schemes/per_label/label_plan.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/random.h"

namespace ganscale::training {

std::vector<std::vector<std::int64_t>> plan_labels(
    const std::vector<std::int64_t>& records_of_label, int rank_count) {
  const auto records = [&](std::int64_t label) {
    return records_of_label[static_cast<std::size_t>(label)];
  };
  std::vector<std::int64_t> labels(records_of_label.size());
  std::iota(labels.begin(), labels.end(), 0);
  std::erase_if(labels, [&](std::int64_t label) { return records(label) == 0; });
  if (static_cast<std::size_t>(rank_count) > labels.size()) {
    throw ConfigError(
        "scheme per_label trains a label on one rank; start at most one rank per label, or use "
        "scheme synchronous: " +
        std::to_string(rank_count) + " ranks, " + std::to_string(labels.size()) + " labels");
  }
  std::ranges::stable_sort(labels, std::ranges::greater(), records);
  std::vector<std::vector<std::int64_t>> plan(static_cast<std::size_t>(rank_count));
  std::vector<std::int64_t> load(plan.size());
  for (const auto label : labels) {
    const auto rank = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    plan[rank].push_back(label);
    load[rank] += records(label);
  }
  return plan;
}

std::int64_t images_of_label(std::int64_t records, std::int64_t all_records,
                             std::int64_t total_images) {
  const double share = static_cast<double>(records) / static_cast<double>(all_records);
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(share * static_cast<double>(total_images)));
}

std::uint64_t label_seed(std::uint64_t run_seed, std::int64_t label, int attempt) {
  const auto words =
      random_block(run_seed, Stream::kInitialWeights, static_cast<std::uint64_t>(label),
                   /*site=*/0xFFFF, static_cast<std::uint32_t>(attempt));
  constexpr std::uint64_t kLargest = 0x7FFFFFFFFFFFFFFF;  // of a seed in the configuration
  return (std::uint64_t{words[0]} << 32 | words[1]) & kLargest;
}

}  // namespace ganscale::training
