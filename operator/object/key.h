#pragma once

#include <compare>
#include <string>

#include "object/json.h"

namespace ganscale::controller {

/// Namespace and name of an object, unique within its kind.
struct Key {
  std::string name_space;
  std::string name;
  std::string text() const { return name_space + "/" + name; }
  auto operator<=>(const Key&) const = default;
};

/// Reads metadata.namespace and metadata.name. Throws ConfigError if either is not a string.
Key key_of(const Json& object);

/// Returns the uid of the owner that controls the object; empty if there is none.
std::string controller_uid(const Json& object);

/// Whether the owner with this uid controls the object. Other owners merely delete it with them.
bool is_owned_by(const Json& object, const std::string& uid);

/// Whether an owner of the object has this kind and name. One with another uid than the object that
/// has the name now is an older one, with which Kubernetes deletes what it owned.
bool has_owner_named(const Json& object, const std::string& kind, const std::string& name);

}  // namespace ganscale::controller
