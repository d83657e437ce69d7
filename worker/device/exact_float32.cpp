#include "device/exact_float32.h"

#include <ATen/Context.h>

namespace ganscale::device {
namespace {

void allow(bool in_products, bool in_convolutions) {
  at::globalContext().setAllowTF32CuBLAS(in_products);
  at::globalContext().setAllowTF32CuDNN(in_convolutions);
}

}  // namespace

ExactFloat32::ExactFloat32()
    : in_products_(at::globalContext().allowTF32CuBLAS()),
      in_convolutions_(at::globalContext().allowTF32CuDNN()) {
  allow(false, false);
}

ExactFloat32::~ExactFloat32() { allow(in_products_, in_convolutions_); }

}  // namespace ganscale::device
