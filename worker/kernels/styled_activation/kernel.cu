#include <cuda_runtime.h>

#include <limits>
#include <variant>

#include "kernels/launch/dispatch.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/launch/vector.cuh"
#include "kernels/styled_activation/fill.h"

namespace ganscale::kernels {
namespace {

constexpr unsigned kThreads = 256;  // of a block, at most

// A vector has kWidth elements: channels of a pixel or, of contiguous planes, pixels.
template <class Stored, class T, int kWidth, bool kChannelsLast_>
struct FormOf : VectorForm<Stored, T, kWidth> {
  static constexpr bool kChannelsLast = kChannelsLast_;
  static constexpr int kChannels = kChannelsLast ? kWidth : 1;
  static constexpr int kPixels = kChannelsLast ? 1 : kWidth;
};

// Numbers for the elements of a vector: one each, or one for all.
template <class T, int kCount>
struct Lanes {
  T numbers[kCount];
  __device__ T& operator[](int i) { return numbers[kCount == 1 ? 0 : i]; }
  __device__ const T& operator[](int i) const { return numbers[kCount == 1 ? 0 : i]; }
};

// Not converted yet, so that a thread waits for all that it reads together.
template <class Stored, int kWidth>
__device__ Vector<Stored, kWidth> read(const void* array, std::int64_t place) {
  Vector<Stored, kWidth> vector = {};
  if (array != nullptr) {
    vector = read_vector<Stored, kWidth>(static_cast<const Stored*>(array) + place);
  }
  return vector;
}

// The place of a thread: the channels of a vector of an image, and each blockDim.y-th step of the
// vectors of pixels from `begin`.
template <class Form>
struct Walk {
  using Stored = typename Form::Stored;
  using T = typename Form::T;
  using OfImages = Vector<Stored, Form::kWidth>;
  using OfChannels = Lanes<T, Form::kChannels>;
  using OfPixels = Vector<T, Form::kPixels>;

  __device__ explicit Walk(const StyledActivationTask& task)
      : channel_count(static_cast<unsigned>(task.layout.channel_count)),
        image(blockIdx.y),
        channel((blockIdx.x * blockDim.x + threadIdx.x) * Form::kChannels),
        is_inside(channel < channel_count) {
    const auto pixels = static_cast<unsigned>(task.layout.pixel_count);
    const std::int64_t steps = pixels / Form::kPixels;
    if (is_inside) {
      begin = static_cast<unsigned>(blockIdx.z * steps / gridDim.z) + threadIdx.y;
      end = static_cast<unsigned>((blockIdx.z + 1) * steps / gridDim.z);
    }
    first_of_image = image * task.layout.channel_count * task.layout.pixel_count;
    first = Form::kChannelsLast ? channel : channel * pixels;
    distance = Form::kChannelsLast ? channel_count : static_cast<unsigned>(Form::kWidth);
    first_of_noise = image * task.noise_stride;
  }

  // 32 bits are enough inside an image.
  __device__ std::int64_t place(unsigned step) const {
    return first_of_image + (first + step * distance);
  }
  __device__ OfImages read_images(const void* array, unsigned step) const {
    return read<Stored, Form::kWidth>(array, place(step));
  }
  __device__ OfPixels read_noise(const void* array, unsigned step) const {
    return read<T, Form::kPixels>(array, first_of_noise + step * Form::kPixels);
  }
  __device__ void write_images(const OfImages& vector, void* array, unsigned step) const {
    if (array != nullptr) write_vector(vector, static_cast<Stored*>(array) + place(step));
  }
  // image_stride: of the array; 0 if the images share its numbers.
  __device__ OfChannels read_channels(const void* array, std::int64_t image_stride,
                                      T otherwise) const {
    OfChannels result;
    for (int k = 0; k < Form::kChannels; ++k) {
      result[k] = array != nullptr && is_inside
                      ? static_cast<const T*>(array)[image * image_stride + channel + k]
                      : otherwise;
    }
    return result;
  }

  unsigned channel_count;
  std::int64_t image;
  unsigned channel;  // the first of the vector
  bool is_inside;    // whether the images have this channel
  unsigned begin = 0;
  unsigned end = 0;
  std::int64_t first_of_image;
  unsigned first;
  unsigned distance;  // of two steps
  std::int64_t first_of_noise;
};

template <class T>
__device__ T number_at(const void* array) {
  return array == nullptr ? T(0) : *static_cast<const T*>(array);
}

template <class T, int kPixels>
__device__ T noise_of(const Vector<T, kPixels>& noise, int i) {
  return noise.at[kPixels == 1 ? 0 : i];
}

template <class T>
struct Curve {
  __device__ explicit Curve(const StyledActivationRule& rule)
      : gain(static_cast<T>(rule.gain)),
        gain_below(static_cast<T>(rule.gain * rule.slope)),
        clamp(static_cast<T>(rule.clamp)) {}

  __device__ bool is_clamped(T value) const { return clamp >= 0 && abs(value) >= clamp; }
  __device__ T value(T u) const {
    const T v = u * (u > 0 ? gain : gain_below);
    return is_clamped(v) ? copysign(clamp, v) : v;
  }
  __device__ T derivative(T value) const {
    if (is_clamped(value)) return T(0);
    return value > 0 ? gain : gain_below;
  }

  T gain;
  T gain_below;  // 0
  T clamp;
};

// Adds the numbers of `count` threads, each `distance` after the one before it; the first has the
// sum. All threads of the block call it together.
template <class T, int kCount>
__device__ void add_up(Lanes<T, kCount>& mine, unsigned thread, unsigned distance, unsigned count) {
  __shared__ T passed[kCount][kThreads];
  const unsigned rank = thread / distance;
  __syncthreads();  // what was passed before has been read
  for (int k = 0; k < kCount; ++k) passed[k][thread] = mine[k];
  while (count > 1) {
    const unsigned half = (count + 1) / 2;
    __syncthreads();
    if (rank < count - half) {
      for (int k = 0; k < kCount; ++k) passed[k][thread] += passed[k][thread + half * distance];
    }
    count = half;
  }
  for (int k = 0; k < kCount; ++k) mine[k] = passed[k][thread];
}

// Leaves the sums of a block's channels, see fill.h.
template <class Form>
__device__ void leave(typename Walk<Form>::OfChannels mine, const Walk<Form>& walk, void* sums) {
  if (sums == nullptr) return;
  add_up(mine, threadIdx.y * blockDim.x + threadIdx.x, blockDim.x, blockDim.y);
  if (threadIdx.y != 0 || !walk.is_inside) return;
  const std::int64_t row = std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
  for (int k = 0; k < Form::kChannels; ++k) {
    static_cast<typename Form::T*>(sums)[row * walk.channel_count + walk.channel + k] = mine[k];
  }
}

// Leaves the sum of a block.
template <class T>
__device__ void leave(T mine, void* sums) {
  if (sums == nullptr) return;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  Lanes<T, 1> total = {{mine}};
  add_up(total, thread, 1, blockDim.x * blockDim.y);
  const std::int64_t row = std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
  if (thread == 0) static_cast<T*>(sums)[row * gridDim.x + blockIdx.x] = total[0];
}

template <class Form>
__global__ void fill(StyledActivationArrays arrays, StyledActivationTask task) {
  using T = typename Form::T;
  using Stored = typename Form::Stored;
  const Walk<Form> walk(task);
  const Curve<T> curve(task.rule);
  const auto demodulation =
      walk.read_channels(arrays.style.demodulation, arrays.style.demodulation_stride, T(1));
  const auto next_styles =
      walk.read_channels(arrays.style.next_styles, arrays.style.next_styles_stride, T(1));
  const auto bias = walk.read_channels(arrays.style.bias, 0, T(0));
  const T strength = number_at<T>(arrays.style.strength);
  for (unsigned step = walk.begin; step < walk.end; step += blockDim.y) {
    const auto y = walk.read_images(arrays.y, step);
    const auto noise = walk.read_noise(arrays.noise, step);
    typename Walk<Form>::OfImages value;
    typename Walk<Form>::OfImages scaled;
    for (int k = 0; k < Form::kWidth; ++k) {
      const T u =
          demodulation[k] * static_cast<T>(y.at[k]) + strength * noise_of(noise, k) + bias[k];
      const T v = curve.value(u);
      value.at[k] = static_cast<Stored>(v);
      scaled.at[k] = static_cast<Stored>(v * next_styles[k]);
    }
    walk.write_images(value, arrays.value, step);
    walk.write_images(scaled, arrays.scaled, step);
  }
}

template <class Form>
__global__ void fill(StyledGradientArrays arrays, StyledActivationTask task) {
  using T = typename Form::T;
  using Stored = typename Form::Stored;
  const StyledPointArrays& point = arrays.point;
  const Walk<Form> walk(task);
  const Curve<T> curve(task.rule);
  const auto demodulation =
      walk.read_channels(point.style.demodulation, point.style.demodulation_stride, T(1));
  const auto next_styles =
      walk.read_channels(point.style.next_styles, point.style.next_styles_stride, T(1));
  typename Walk<Form>::OfChannels of_demodulation = {};
  typename Walk<Form>::OfChannels of_next_styles = {};
  typename Walk<Form>::OfChannels of_bias = {};
  T of_strength = 0;
  for (unsigned step = walk.begin; step < walk.end; step += blockDim.y) {
    const auto value = walk.read_images(point.value, step);
    const auto value_gradient = walk.read_images(point.value_gradient, step);
    const auto scaled_gradient = walk.read_images(point.scaled_gradient, step);
    const auto y = walk.read_images(point.y, step);
    const auto noise = walk.read_noise(point.noise, step);
    typename Walk<Form>::OfImages d_y;
    for (int k = 0; k < Form::kWidth; ++k) {
      const T v = static_cast<T>(value.at[k]);
      const T h = static_cast<T>(scaled_gradient.at[k]);
      const T G = curve.derivative(v) * (static_cast<T>(value_gradient.at[k]) + next_styles[k] * h);
      d_y.at[k] = static_cast<Stored>(demodulation[k] * G);
      of_demodulation[k] += G * static_cast<T>(y.at[k]);
      of_next_styles[k] += h * v;
      of_bias[k] += G;
      of_strength += G * noise_of(noise, k);
    }
    walk.write_images(d_y, arrays.d_y, step);
  }
  leave(of_demodulation, walk, arrays.sums.demodulation);
  leave(of_next_styles, walk, arrays.sums.next_styles);
  leave(of_bias, walk, arrays.sums.bias);
  leave(of_strength, arrays.sums.strength);
}

template <class Form>
__global__ void fill(StyledSecondGradientArrays arrays, StyledActivationTask task) {
  using T = typename Form::T;
  using Stored = typename Form::Stored;
  const StyledPointArrays& point = arrays.point;
  const StyleInputs& tangents = arrays.tangents;
  const Walk<Form> walk(task);
  const Curve<T> curve(task.rule);
  const auto demodulation =
      walk.read_channels(point.style.demodulation, point.style.demodulation_stride, T(1));
  const auto next_styles =
      walk.read_channels(point.style.next_styles, point.style.next_styles_stride, T(1));
  const auto demodulation_tangent =
      walk.read_channels(tangents.demodulation, tangents.demodulation_stride, T(0));
  const auto next_styles_tangent =
      walk.read_channels(tangents.next_styles, tangents.next_styles_stride, T(0));
  const auto bias_tangent = walk.read_channels(tangents.bias, 0, T(0));
  const T strength_tangent = number_at<T>(tangents.strength);
  typename Walk<Form>::OfChannels of_demodulation = {};
  typename Walk<Form>::OfChannels of_next_styles = {};
  for (unsigned step = walk.begin; step < walk.end; step += blockDim.y) {
    const auto value = walk.read_images(point.value, step);
    const auto value_gradient = walk.read_images(point.value_gradient, step);
    const auto scaled_gradient = walk.read_images(point.scaled_gradient, step);
    const auto y = walk.read_images(point.y, step);
    const auto d_y_tangent = walk.read_images(arrays.d_y_tangent, step);
    const auto noise = walk.read_noise(point.noise, step);
    typename Walk<Form>::OfImages of_value_gradient;
    typename Walk<Form>::OfImages of_scaled_gradient;
    typename Walk<Form>::OfImages of_value;
    typename Walk<Form>::OfImages of_y;
    for (int k = 0; k < Form::kWidth; ++k) {
      const T v = static_cast<T>(value.at[k]);
      const T h = static_cast<T>(scaled_gradient.at[k]);
      const T t = static_cast<T>(d_y_tangent.at[k]);
      const T M = curve.derivative(v);
      const T G = M * (static_cast<T>(value_gradient.at[k]) + next_styles[k] * h);
      const T MT = M * (demodulation[k] * t + static_cast<T>(y.at[k]) * demodulation_tangent[k] +
                        bias_tangent[k] + noise_of(noise, k) * strength_tangent);
      of_value_gradient.at[k] = static_cast<Stored>(MT);
      of_scaled_gradient.at[k] =
          static_cast<Stored>(next_styles[k] * MT + v * next_styles_tangent[k]);
      of_value.at[k] = static_cast<Stored>(h * next_styles_tangent[k]);
      of_y.at[k] = static_cast<Stored>(G * demodulation_tangent[k]);
      of_demodulation[k] += G * t;
      of_next_styles[k] += MT * h;
    }
    walk.write_images(of_value_gradient, arrays.of_value_gradient, step);
    walk.write_images(of_scaled_gradient, arrays.of_scaled_gradient, step);
    walk.write_images(of_value, arrays.of_value, step);
    walk.write_images(of_y, arrays.of_y, step);
  }
  leave(of_demodulation, walk, arrays.sums.demodulation);
  leave(of_next_styles, walk, arrays.sums.next_styles);
}

// Sums of blocks: sums[c] = sum over r of rows[r, c].
struct SumOfRows {
  const void* rows;
  void* sums;  // null: not wanted
  std::int64_t row_count;
  std::int64_t column_count;
};
struct SumsOfRows {
  SumOfRows kinds[4];
};

constexpr unsigned kColumns = 8;  // of a block: 32 bytes, the least that memory is read in

// The blocks of a blockIdx.y add up one kind.
template <class T>
__global__ void add_rows(const __grid_constant__ SumsOfRows all) {
  const SumOfRows& kind = all.kinds[blockIdx.y];
  const unsigned columns = kind.column_count < kColumns ? kind.column_count : kColumns;
  if (kind.sums == nullptr || blockIdx.x * columns >= kind.column_count) return;
  const unsigned rank = threadIdx.x / columns;
  const unsigned ranks = kThreads / columns;
  const std::int64_t column = blockIdx.x * columns + threadIdx.x % columns;
  const bool is_inside = column < kind.column_count;
  Lanes<T, 1> sum = {};
  for (std::int64_t row = rank; is_inside && rank < ranks && row < kind.row_count; row += ranks) {
    sum[0] += static_cast<const T*>(kind.rows)[row * kind.column_count + column];
  }
  add_up(sum, threadIdx.x, columns, ranks);
  if (rank == 0 && is_inside) static_cast<T*>(kind.sums)[column] = sum[0];
}

bool has_aligned_images(const StyledPointArrays& point) {
  return are_aligned({point.value_gradient, point.scaled_gradient, point.value, point.y});
}

bool has_aligned_images(const StyledActivationArrays& arrays) {
  return are_aligned({arrays.value, arrays.scaled, arrays.y});
}

bool has_aligned_images(const StyledGradientArrays& arrays) {
  return are_aligned({arrays.d_y}) && has_aligned_images(arrays.point);
}

bool has_aligned_images(const StyledSecondGradientArrays& arrays) {
  return are_aligned({arrays.of_value_gradient, arrays.of_scaled_gradient, arrays.of_value,
                      arrays.of_y, arrays.d_y_tangent}) &&
         has_aligned_images(arrays.point);
}

const void* noise_in(const StyledActivationArrays& arrays) { return arrays.noise; }

template <class DerivativeArrays>
const void* noise_in(const DerivativeArrays& arrays) {
  return arrays.point.noise;
}

// Whether each vector lies where one access reaches it. Channels last, noise is read one by one.
template <class T, class Arrays>
bool takes_vectors(int width, const Arrays& arrays, const StyledActivationTask& task) {
  const ImageLayout& layout = task.layout;
  if (!has_aligned_images(arrays)) return false;
  if (layout.channels_last) return layout.channel_count % width == 0;
  return layout.pixel_count % width == 0 && task.noise_stride % width == 0 &&
         are_aligned({noise_in(arrays)}, width * sizeof(T));
}

template <class Form>
Grid grid_of(const ImageLayout& layout) {
  const StyledActivationBlocks blocks = styled_activation_blocks(layout);
  const std::int64_t channels = std::min(blocks.channels, layout.channel_count);
  const std::int64_t side = (channels + Form::kChannels - 1) / Form::kChannels;
  const std::int64_t steps = layout.pixel_count / Form::kPixels;
  return {dim3(static_cast<unsigned>(blocks.channel_blocks),
               static_cast<unsigned>(layout.image_count), static_cast<unsigned>(blocks.parts)),
          dim3(static_cast<unsigned>(side),
               static_cast<unsigned>(std::min<std::int64_t>(kThreads / side, steps)))};
}

template <class Form, class Arrays>
void launch(const Arrays& arrays, const StyledActivationTask& task, void* stream) {
  void (*const kernel)(Arrays, StyledActivationTask) = fill<Form>;
  launch_kernel("styled_activation", grid_of<Form>(task.layout), stream, kernel, arrays, task);
}

template <class Stored, class T, class Arrays>
void launch_in_type(const Arrays& arrays, const StyledActivationTask& task, void* stream) {
  constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(Stored));
  const bool last = task.layout.channels_last;
  if (takes_vectors<T>(kWidth, arrays, task)) {
    return last ? launch<FormOf<Stored, T, kWidth, true>>(arrays, task, stream)
                : launch<FormOf<Stored, T, kWidth, false>>(arrays, task, stream);
  }
  last ? launch<FormOf<Stored, T, 1, true>>(arrays, task, stream)
       : launch<FormOf<Stored, T, 1, false>>(arrays, task, stream);
}

template <class Arrays>
void launch_for_task(const Arrays& arrays, const StyledActivationTask& task, void* stream) {
  check(task.layout.channel_count * task.layout.pixel_count <=
            std::numeric_limits<std::int32_t>::max(),
        "styled_activation takes images of less than 2^31 values");
  dispatch_all_types(task.layout.type, [&]<class Stored, class T>() {
    launch_in_type<Stored, T>(arrays, task, stream);
  });
}

}  // namespace

void styled_activation_kernel(const AnyStyledArrays& arrays, const StyledActivationTask& task,
                              void* stream) {
  std::visit([&](const auto& of_pass) { launch_for_task(of_pass, task, stream); }, arrays);
}

void styled_sums_kernel(const StyleArrays<const void*>& of_blocks, const StyleSums& sums,
                        const ImageLayout& layout, void* stream) {
  const StyledActivationBlocks blocks = styled_activation_blocks(layout);
  const std::int64_t N = layout.image_count;
  const std::int64_t C = layout.channel_count;
  const SumsOfRows all = {
      {{of_blocks.demodulation, sums.demodulation, blocks.parts, N * C},
       {of_blocks.next_styles, sums.next_styles, blocks.parts, N * C},
       {of_blocks.bias, sums.bias, blocks.parts * N, C},
       {of_blocks.strength, sums.strength, blocks.parts * N * blocks.channel_blocks, 1}}};
  const Grid grid = {dim3(static_cast<unsigned>((N * C + kColumns - 1) / kColumns), 4), kThreads};
  if (layout.type == ScalarType::kFloat64) {
    launch_kernel("styled_activation", grid, stream, add_rows<double>, all);
  } else {
    launch_kernel("styled_activation", grid, stream, add_rows<float>, all);
  }
}

}  // namespace ganscale::kernels
