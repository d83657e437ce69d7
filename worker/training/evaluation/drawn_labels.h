#pragma once

#include <vector>

#include "data/image/source.h"
#include "models/contract/networks.h"

namespace ganscale::training {

/// Returns the labels of all records that the generator supports: labels drawn from these are as
/// frequent as in the data. Empty for a generator without labels. Throws DataError if no record has
/// one.
std::vector<std::int64_t> labels_to_draw(const models::Generator& generator,
                                         const data::Source& source);

/// Returns one of these labels for each of `count` images, [count] int64 on the host; undefined if
/// there are none to draw.
at::Tensor draw_labels(const std::vector<std::int64_t>& from, std::int64_t count,
                       kernels::RandomStream& random);

}  // namespace ganscale::training
