#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "object/event.h"
#include "object/json.h"
#include "object/key.h"
#include "object/resource.h"

namespace ganscale::controller {

/// A custom resource as stored by the API server: identity, spec and status.
struct StoredObject {
  Resource resource;
  const char* kind = "";
  Key key{};
  std::string uid{};
  std::string resource_version{};
  std::int64_t generation = 0;
  bool deleted = false;          ///< marked for deletion
  Json spec = Json::object();    ///< as stored, including unknown fields of newer versions
  Json status = Json::object();  ///< the same

  ObjectReference reference() const { return {resource.api_version, kind, key, uid}; }
};

/// Reads identity, spec and status of an object into `stored`. Throws ConfigError.
void read_stored(const Json& object, StoredObject& stored);

/// How long to wait at most before an object is looked at again.
inline constexpr std::chrono::seconds kResync{600};
/// How long to wait for what is not watched: the object that has a name that is taken, which may
/// lack our label, and claims and ConfigMaps of users.
inline constexpr std::chrono::seconds kLookAgain{10};

}  // namespace ganscale::controller
