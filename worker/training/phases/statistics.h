#pragma once

#include <map>
#include <string>
#include <vector>

#include "comm/group/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::training {

/// Returns the names that any rank has, sorted; every rank calls it with its own.
std::vector<std::string> agree_on_names(comm::Group& group, const std::vector<std::string>& own);

/// Sums scalars over steps on the device and reads them only on request, so that steps do not wait
/// for them.
///
/// A rank may lack some of the names, or report one less often than another rank does: a mean is
/// over what was reported.
class Statistics {
 public:
  /// names: the same on every rank.
  explicit Statistics(std::vector<std::string> names) : names_(std::move(names)) {}

  /// Every name is one that was agreed upon.
  void add(const NamedTensors& scalars);

  /// Returns the mean of each scalar over the reports of all ranks since the last call, and starts
  /// over; a name that no rank reported is left out. Every rank calls it.
  std::map<std::string, double> take(comm::Group& group);

 private:
  /// What was reported together, so that few operations add it.
  struct Sum {
    at::Tensor totals;  ///< float64 [names]
    std::int64_t count = 0;
  };

  std::vector<std::string> names_;
  std::map<std::vector<std::string>, Sum> sums_;  ///< by names, sorted; all on one device
};

}  // namespace ganscale::training
