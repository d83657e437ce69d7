#pragma once

#include <cstdint>
#include <vector>

namespace ganscale::training {

/// A rank's part of a batch: the images rank, rank + size, ...
struct BatchPart {
  int rank = 0;
  int size = 1;
};

/// Returns which rows of `own` are images of `other`, too, in ascending order. The images that two
/// parts share are in the same order in both.
std::vector<std::int64_t> shared_rows(const BatchPart& own, const BatchPart& other,
                                      std::int64_t batch);

}  // namespace ganscale::training
