#include "training/phases/loader_readings.h"

namespace ganscale::training {

Readings loader_readings(const StepInputs& inputs) {
  const data::Prefetcher* loader = inputs.loader();
  if (loader == nullptr) return {};
  return {.loader = loader->readings()};
}

}  // namespace ganscale::training
