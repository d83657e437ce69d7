#include "gan_training/spec/gan_training.h"

#include <algorithm>

#include "object/fields.h"

namespace ganscale::controller::gan_training {

GanTraining parse_training(const Json& object) {
  GanTraining t;
  read_stored(object, t);
  t.finalizers = Fields(object, "").object("metadata").list("finalizers");
  return t;
}

bool GanTraining::has_finalizer() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

}  // namespace ganscale::controller::gan_training
