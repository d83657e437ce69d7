#pragma once

#include <string>

#include "object/key.h"

namespace ganscale::controller {

/// A reference to an object, as in Kubernetes.
struct ObjectReference {
  std::string api_version;  ///< group/version
  std::string kind;
  Key key;
  std::string uid;
};

/// An event to record about an object.
struct Event {
  bool warning = false;
  std::string reason;  ///< one word
  std::string note;    ///< for people
  bool operator==(const Event&) const = default;
};

}  // namespace ganscale::controller
