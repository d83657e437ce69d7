#include "gan_training/spec/gan_training.h"

#include <algorithm>

#include "object/fields.h"

namespace ganscale::controller::gan_training {

bool is_queue_label(const std::string& name) {
  return name.starts_with("kueue.x-k8s.io/") && name != "kueue.x-k8s.io/queue-name";
}

GanTraining parse_training(const Json& object) {
  GanTraining t;
  read_stored(object, t);
  Fields metadata = Fields(object, "").object("metadata");
  t.finalizers = metadata.list("finalizers");
  for (const auto& [name, value] : metadata.words("labels")) {
    if (is_queue_label(name)) t.queue_labels[name] = value;
  }
  return t;
}

bool GanTraining::has_finalizer() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

}  // namespace ganscale::controller::gan_training
