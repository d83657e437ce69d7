#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/optimizer/optimizer_kind.h"
#include "optim/optimizer/slot_optimizer.h"

namespace ganscale::optim {

/// Returns a SlotOptimizer that counts steps on the host and updates by `rule`, which changes
/// parameters and slots in place.
std::unique_ptr<Optimizer> make_slot_optimizer(NamedTensors parameters,
                                               std::vector<std::string> slot_names,
                                               std::function<void(SlotUpdate&)> rule);

/// Returns the builder of such an optimizer, whose rule is a function of its options.
template <class Options>
OptimizerBuilder builder_of(const Options& options, std::vector<std::string> slot_names,
                            void (*rule)(const Options&, SlotUpdate&)) {
  return [=](NamedTensors parameters, double lazy_factor) {
    return make_slot_optimizer(std::move(parameters), slot_names,
                               [rule, lazy = lazy_options(options, lazy_factor)](
                                   SlotUpdate& update) { rule(lazy, update); });
  };
}

}  // namespace ganscale::optim
