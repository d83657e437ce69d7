#pragma once

#include "base/non_copyable.h"

namespace ganscale::device {

/// Forbids TF32 in a scope, for all threads: float32 there is the same on every device. Scopes of
/// several threads may overlap; TF32 is as it was once the last of them ends.
class ExactFloat32 : NonCopyable {
 public:
  ExactFloat32();
  ~ExactFloat32();
};

}  // namespace ganscale::device
