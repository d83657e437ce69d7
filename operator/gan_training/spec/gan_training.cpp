#include "gan_training/spec/gan_training.h"

#include <algorithm>

#include "object/fields.h"

namespace ganscale::controller::gan_training {
GanTraining parse_training(const Json& object) {
  GanTraining t;
  t.key = key_of(object);
  Fields top(object, "");
  Fields metadata = top.object("metadata");
  t.uid = metadata.text("uid");
  t.resource_version = metadata.text("resourceVersion");
  t.generation = metadata.whole("generation", 1);
  t.deleted = metadata.has("deletionTimestamp");
  t.finalizers = metadata.list("finalizers");
  if (top.has("spec")) t.spec = top.any("spec");
  if (top.has("status")) t.status = top.any("status");
  return t;
}

bool GanTraining::has_finalizer() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

}  // namespace ganscale::controller::gan_training
