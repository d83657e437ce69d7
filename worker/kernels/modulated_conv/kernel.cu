#include <cuda_runtime.h>

#include "kernels/launch/channel_walk.cuh"
#include "kernels/launch/dispatch.cuh"
#include "kernels/modulated_conv/fill.h"

namespace ganscale::kernels {
namespace {

template <class Stored>
constexpr int kWidth = kVectorBytes / sizeof(Stored);  // of a vector

// Stored is the type in memory, T the type of the computation.
template <class Stored, class T>
__global__ void scale(ScaleArrays arrays, ChannelWalk walk, bool in_vectors) {
  const Strip strip = strip_of<kWidth<Stored>>(walk);
  T scales[kWidth<Stored>];
  read_values(static_cast<const Stored*>(arrays.scale), walk, strip, scales);
  const WalkedArrays<Stored, 1> walked{{static_cast<const Stored*>(arrays.x)},
                                       static_cast<Stored*>(arrays.out)};
  walk_along<kWidth<Stored>>(strip, in_vectors, walked, [&](int j, const Stored* x) {
    return static_cast<Stored>(static_cast<T>(x[0]) * scales[j]);
  });
}

template <class Stored, class T>
__global__ void dot(DotArrays arrays, ChannelWalk walk, bool in_vectors) {
  const Strip strip = strip_of<kWidth<Stored>>(walk);
  T sums[kWidth<Stored>] = {};
  const WalkedArrays<Stored, 2> walked{
      {static_cast<const Stored*>(arrays.a), static_cast<const Stored*>(arrays.b)}, nullptr};
  walk_along<kWidth<Stored>>(strip, in_vectors, walked, [&](int j, const Stored* of) {
    sums[j] += static_cast<T>(of[0]) * static_cast<T>(of[1]);
    return of[0];
  });
  store_sums(sums, walk, static_cast<T*>(arrays.out));
}

template <class Stored, class T>
void launch_scale(const ScaleArrays& arrays, const ImageLayout& layout, void* stream) {
  const ChannelWalk walk = walk_of(layout);
  const bool in_vectors =
      takes_vectors(walk, kWidth<Stored>, sizeof(Stored), {arrays.out, arrays.x});
  launch_kernel("scale_channels", grid_of(walk), stream, scale<Stored, T>, arrays, walk,
                in_vectors);
}

template <class Stored, class T>
void launch_dot(const DotArrays& arrays, const ImageLayout& layout, void* stream) {
  const ChannelWalk walk = walk_of(layout);
  const bool in_vectors = takes_vectors(walk, kWidth<Stored>, sizeof(Stored), {arrays.a, arrays.b});
  launch_kernel("dot_channels", grid_of(walk), stream, dot<Stored, T>, arrays, walk, in_vectors);
}

}  // namespace

void scale_channels_kernel(const ScaleArrays& arrays, const ImageLayout& layout, void* stream) {
  dispatch_all_types(layout.type, [&]<class Stored, class T>() {
    launch_scale<Stored, T>(arrays, layout, stream);
  });
}

void dot_channels_kernel(const DotArrays& arrays, const ImageLayout& layout, void* stream) {
  dispatch_all_types(
      layout.type, [&]<class Stored, class T>() { launch_dot<Stored, T>(arrays, layout, stream); });
}

}  // namespace ganscale::kernels
