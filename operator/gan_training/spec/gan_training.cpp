#include "gan_training/spec/gan_training.h"

#include <algorithm>

#include "object/fields.h"

namespace ganscale::controller::gan_training {

std::map<std::string, std::string> queue_labels_of(const Json& metadata) {
  std::map<std::string, std::string> labels;
  for (const auto& [name, value] : Fields(metadata, "metadata").words("labels")) {
    if (name.starts_with("kueue.x-k8s.io/") && name != "kueue.x-k8s.io/queue-name") {
      labels[name] = value;
    }
  }
  return labels;
}

GanTraining parse_training(const Json& object) {
  GanTraining t;
  read_stored(object, t);
  t.finalizers = Fields(object, "").object("metadata").list("finalizers");
  t.queue_labels = queue_labels_of(object.value("metadata", Json::object()));
  return t;
}

bool GanTraining::has_finalizer() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

}  // namespace ganscale::controller::gan_training
