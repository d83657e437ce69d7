#include "object/key.h"

#include "object/fields.h"
#include "object/lookup.h"

namespace ganscale::controller {

Key key_of(const Json& object) {
  Fields metadata = Fields(object, "").object("metadata");
  return {metadata.text("namespace", "default"), metadata.text("name")};
}

std::string controller_uid(const Json& object) {
  for (const Json& owner : list_at(object, "/metadata/ownerReferences")) {
    if (owner.value("controller", false)) return text_at(owner, "/uid");
  }
  return "";
}

bool is_owned_by(const Json& object, const std::string& uid) {
  return !uid.empty() && controller_uid(object) == uid;
}

}  // namespace ganscale::controller
