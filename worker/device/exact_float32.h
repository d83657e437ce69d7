#pragma once

namespace ganscale::device {

/// Forbids TF32 in a scope, for all threads: float32 there is the same on every device.
class ExactFloat32 {
 public:
  ExactFloat32();
  ~ExactFloat32();
  ExactFloat32(const ExactFloat32&) = delete;
  ExactFloat32& operator=(const ExactFloat32&) = delete;

 private:
  const bool in_products_;
  const bool in_convolutions_;
};

}  // namespace ganscale::device
