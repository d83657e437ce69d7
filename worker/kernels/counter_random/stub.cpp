#include "kernels/counter_random/fill.h"
#include "kernels/launch/refuse_without_cuda.h"

namespace ganscale::kernels {

template <class T>
void fill_normal_kernel(T*, const RandomRows&, void*) {
  refuse_without_cuda("counter_random");
}

template <class T>
void fill_uniform_kernel(T*, const RandomRows&, void*) {
  refuse_without_cuda("counter_random");
}

template <class T>
void fill_dropout_kernel(T*, const RandomRows&, const Dropout&, void*) {
  refuse_without_cuda("counter_random");
}

template void fill_normal_kernel(float*, const RandomRows&, void*);
template void fill_normal_kernel(double*, const RandomRows&, void*);
template void fill_uniform_kernel(float*, const RandomRows&, void*);
template void fill_uniform_kernel(double*, const RandomRows&, void*);
template void fill_dropout_kernel(float*, const RandomRows&, const Dropout&, void*);
template void fill_dropout_kernel(double*, const RandomRows&, const Dropout&, void*);

}  // namespace ganscale::kernels
