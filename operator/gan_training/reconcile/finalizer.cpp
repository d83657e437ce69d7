#include "gan_training/reconcile/finalizer.h"

namespace ganscale::controller::gan_training {

void set_finalizer(const GanTraining& training, bool wanted, Client& client) {
  std::vector<std::string> finalizers = training.finalizers;
  std::erase(finalizers, kFinalizer);
  if (wanted) finalizers.emplace_back(kFinalizer);
  try {
    client.patch(kTrainings, training.key,
                 {{"metadata",
                   {{"finalizers", finalizers}, {"resourceVersion", training.resource_version}}}});
  } catch (const ApiError& error) {
    if (error.code() != 404) throw;
  }
}

}  // namespace ganscale::controller::gan_training
