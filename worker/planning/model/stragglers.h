#pragma once

namespace ganscale::planning {

/// Returns the mean of the largest of `count` independent standard normal numbers: by how many
/// standard deviations the slowest of so many ranks is behind the mean.
double mean_largest_normal(int count);

}  // namespace ganscale::planning
