#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::training {

/// Assigns labels to ranks, balanced by number of records: in descending order, each to the rank
/// with the fewest records so far (Graham 1969, "Bounds on multiprocessing timing anomalies": at
/// most 4/3 of the optimum). Labels without records are left out.
///
/// Returns: the labels of each rank, in training order.
/// Throws:  ConfigError for more ranks than labels with records.
std::vector<std::vector<std::int64_t>> plan_labels(
    const std::vector<std::int64_t>& records_of_label, int rank_count);

/// Returns the number of training images of a label: its share of the run's, and one at least.
/// all_records: of the dataset, also those of labels that are not trained.
std::int64_t images_of_label(std::int64_t records, std::int64_t all_records,
                             std::int64_t total_images);

/// Returns the seed of a label's training, different for all labels, attempts and seeds of runs.
std::uint64_t label_seed(std::uint64_t run_seed, std::int64_t label, int attempt);

}  // namespace ganscale::training
