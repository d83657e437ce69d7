#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::training {

/// Deals labels to ranks, balanced by their records: the label with the most records first, each to
/// the rank that has the least so far (Graham 1969, "Bounds on multiprocessing timing anomalies":
/// the longest rank has at most 4/3 of the best plan's). Labels without records are left out.
///
/// Returns: the labels of each rank, in the order in which it trains them.
/// Throws:  ConfigError for more ranks than labels with records.
std::vector<std::vector<std::int64_t>> plan_labels(
    const std::vector<std::int64_t>& records_of_label, int rank_count);

/// Returns the seed of a label's training: labels, attempts and seeds of runs never share one.
std::uint64_t label_seed(std::uint64_t run_seed, std::int64_t label, int attempt);

}  // namespace ganscale::training
