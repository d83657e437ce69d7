#include "object/key.h"

#include <algorithm>

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

bool has_owner_named(const Json& object, const std::string& kind, const std::string& name) {
  return std::ranges::any_of(list_at(object, "/metadata/ownerReferences"), [&](const Json& owner) {
    return text_at(owner, "/kind") == kind && text_at(owner, "/name") == name;
  });
}

}  // namespace ganscale::controller
