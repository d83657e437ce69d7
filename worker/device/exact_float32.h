#pragma once

namespace ganscale::device {

/// Forbids TF32 in a scope, for all threads: float32 there is the same on every device. Scopes of
/// several threads may overlap; TF32 is as it was once the last of them ends.
class ExactFloat32 {
 public:
  ExactFloat32();
  ~ExactFloat32();
  ExactFloat32(const ExactFloat32&) = delete;
  ExactFloat32& operator=(const ExactFloat32&) = delete;
};

}  // namespace ganscale::device
