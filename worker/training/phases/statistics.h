#pragma once

#include <map>
#include <string>

#include "comm/group.h"
#include "tensors/named_tensors.h"

namespace ganscale::training {

/// Sums scalars over steps on the device and reads them only on request, so that steps do not wait
/// for them.
class Statistics {
 public:
  void add(const NamedTensors& scalars);

  /// Returns the mean of each scalar over the steps since the last call and over all ranks, and
  /// resets. All ranks call it after the same steps.
  std::map<std::string, double> take(comm::Group& group);

 private:
  NamedTensors sums_;
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace ganscale::training
