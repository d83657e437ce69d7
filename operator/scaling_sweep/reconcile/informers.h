#pragma once

#include <memory>
#include <vector>

#include "kind/make_informers.h"

namespace ganscale::controller::scaling_sweep {

/// The informers of all objects that a reconcile reads.
struct Informers {
  explicit Informers(const MakeInformers& make);

  std::vector<Informer*> all() const;

  std::unique_ptr<Informer> sweeps;
  std::unique_ptr<Informer> trainings;  ///< of sweeps, indexed by sweep
  std::unique_ptr<Informer> reports;    ///< their ConfigMaps
};

}  // namespace ganscale::controller::scaling_sweep
