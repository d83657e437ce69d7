#pragma once

#include <vector>

#include "gan_training/reconcile/kind.h"
#include "scaling_sweep/reconcile/kind.h"

namespace ganscale::controller {

/// Returns the table of the resource kinds that the operator reconciles, one line per kind.
inline std::vector<KindEntry> kinds(const gan_training::KindSettings& trainings) {
  return {
      gan_training::kind(trainings),
      scaling_sweep::kind({trainings.profiles, trainings.schema}),
  };
}

}  // namespace ganscale::controller
