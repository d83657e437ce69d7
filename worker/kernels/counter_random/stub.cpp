#include "base/error.h"
#include "kernels/counter_random/fill.h"

namespace ganscale::kernels {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("random numbers on a CUDA device need a build with GANSCALE_CUDA");
}

}  // namespace

template <class T>
void fill_normal_kernel(T*, const RandomRows&, void*) {
  refuse();
}

template <class T>
void fill_uniform_kernel(T*, const RandomRows&, void*) {
  refuse();
}

template <class T>
void fill_dropout_kernel(T*, const RandomRows&, const Dropout&, void*) {
  refuse();
}

template void fill_normal_kernel(float*, const RandomRows&, void*);
template void fill_normal_kernel(double*, const RandomRows&, void*);
template void fill_uniform_kernel(float*, const RandomRows&, void*);
template void fill_uniform_kernel(double*, const RandomRows&, void*);
template void fill_dropout_kernel(float*, const RandomRows&, const Dropout&, void*);
template void fill_dropout_kernel(double*, const RandomRows&, const Dropout&, void*);

}  // namespace ganscale::kernels
