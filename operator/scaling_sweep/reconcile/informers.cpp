#include "scaling_sweep/reconcile/informers.h"

#include "scaling_sweep/plan/plan.h"
#include "scaling_sweep/spec/scaling_sweep.h"

namespace ganscale::controller::scaling_sweep {

Informers::Informers(const MakeInformers& make)
    : sweeps(make.of_kind(kSweeps)),
      trainings(make.of_owned(gan_training::kTrainings, kSweepLabel)),
      reports(make.of_owned(resource::kConfigMaps, kSweepLabel)) {}

std::vector<Informer*> Informers::all() const {
  return {sweeps.get(), trainings.get(), reports.get()};
}

}  // namespace ganscale::controller::scaling_sweep
