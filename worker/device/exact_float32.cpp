#include "device/exact_float32.h"

#include <ATen/Context.h>

#include <mutex>

namespace ganscale::device {
namespace {

/// All open scopes of the process: the flags are its own, and set one after the other.
struct Scopes {
  std::mutex mutex;
  int open = 0;
  bool in_products = false;  ///< as it was before the first of them
  bool in_convolutions = false;
};

Scopes& scopes() {
  static Scopes all;
  return all;
}

void allow(bool in_products, bool in_convolutions) {
  at::globalContext().setAllowTF32CuBLAS(in_products);
  at::globalContext().setAllowTF32CuDNN(in_convolutions);
}

}  // namespace

ExactFloat32::ExactFloat32() {
  Scopes& all = scopes();
  const std::scoped_lock lock(all.mutex);
  if (all.open++ > 0) return;
  all.in_products = at::globalContext().allowTF32CuBLAS();
  all.in_convolutions = at::globalContext().allowTF32CuDNN();
  allow(false, false);
}

ExactFloat32::~ExactFloat32() {
  Scopes& all = scopes();
  const std::scoped_lock lock(all.mutex);
  if (--all.open == 0) allow(all.in_products, all.in_convolutions);
}

}  // namespace ganscale::device
