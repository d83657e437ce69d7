#include "object/stored_object.h"

#include "object/fields.h"

namespace ganscale::controller {

void read_stored(const Json& object, StoredObject& stored) {
  stored.key = key_of(object);
  Fields top(object, "");
  Fields metadata = top.object("metadata");
  stored.uid = metadata.text("uid");
  stored.resource_version = metadata.text("resourceVersion");
  stored.generation = metadata.whole("generation", 1);
  stored.deleted = metadata.has("deletionTimestamp");
  if (top.has("spec")) stored.spec = top.any("spec");
  if (top.has("status")) stored.status = top.any("status");
}

}  // namespace ganscale::controller
