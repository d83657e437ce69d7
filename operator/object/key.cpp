#include "object/key.h"

#include <algorithm>

#include "object/fields.h"

namespace ganscale::controller {

Key key_of(const Json& object) {
  Fields metadata = Fields(object, "").object("metadata");
  return {metadata.text("namespace", "default"), metadata.text("name")};
}

bool is_owned_by(const Json& object, const std::string& uid) {
  const Json owners = object["metadata"].value("ownerReferences", Json::array());
  return std::ranges::any_of(owners, [&](const Json& it) { return it.value("uid", "") == uid; });
}

}  // namespace ganscale::controller
