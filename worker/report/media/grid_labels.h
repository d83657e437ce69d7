#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::report {

/// Returns the label of each place of a grid of samples, row by row: row r has label r modulo their
/// number, or place p has label p if there are more labels than rows.
std::vector<std::int64_t> grid_labels(std::int64_t image_count, std::int64_t columns,
                                      std::int64_t label_count);

}  // namespace ganscale::report
