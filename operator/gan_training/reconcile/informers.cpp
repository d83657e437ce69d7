#include "gan_training/reconcile/informers.h"

#include "gan_training/decide/observe.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/plan/plan.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {

Informers::Informers(const MakeInformers& make)
    : trainings(make.of_kind(kTrainings)),
      jobs(make.of_owned(kMpiJobs, kTrainingLabel)),
      pods(make.of_owned(resource::kPods, kTrainingLabel, essential_pod)),
      config_maps(make.of_owned(resource::kConfigMaps, kTrainingLabel)),
      policies(make.of_owned(resource::kNetworkPolicies, kTrainingLabel)),
      budgets(make.of_owned(resource::kBudgets, kTrainingLabel)) {}

std::vector<Informer*> Informers::all() const {
  return {trainings.get(),   jobs.get(),     pods.get(),
          config_maps.get(), policies.get(), budgets.get()};
}

}  // namespace ganscale::controller::gan_training
