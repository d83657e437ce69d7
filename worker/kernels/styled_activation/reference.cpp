#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "kernels/launch/dispatch.h"
#include "kernels/launch/sum_of_products.h"
#include "kernels/styled_activation/fill.h"

namespace ganscale::kernels {
namespace {

constexpr std::int64_t kRunElements = 512;  // all arrays of a run fit into the nearest cache

template <class T>
using RunNumbers = std::array<T, kRunElements>;
template <class T>
constexpr RunNumbers<T> kZeros = {};
template <class T>
constexpr RunNumbers<T> kOnes = [] {
  RunNumbers<T> ones = {};
  for (T& one : ones) one = 1;
  return ones;
}();

/// Elements that follow one another in memory: of a channel or, channels last, of a pixel.
struct StyledRun {
  std::int64_t image = 0;
  std::int64_t channel = 0;  // of the first element, as are these
  std::int64_t pixel = 0;
  std::int64_t place = 0;  // in arrays of images
  std::int64_t length = 0;
};

/// What threads take: a channel of an image or, channels last, some pixels of all channels. The
/// cuts depend only on sizes, and so do the sums.
class Units {
 public:
  explicit Units(const ImageLayout& layout) : layout_(layout) {
    constexpr std::int64_t kUnitElements = 65536;
    if (layout.channels_last) {
      channels_ = layout.channel_count;
      pixels_ = std::clamp<std::int64_t>(kUnitElements / channels_, 1, layout.pixel_count);
      of_image_ = (layout.pixel_count + pixels_ - 1) / pixels_;
    } else {
      pixels_ = layout.pixel_count;
      of_image_ = layout.channel_count;
    }
  }

  const ImageLayout& layout() const { return layout_; }
  std::int64_t count() const { return layout_.image_count * of_image_; }
  std::int64_t channels() const { return channels_; }
  std::int64_t image(std::int64_t unit) const { return unit / of_image_; }
  std::int64_t first_channel(std::int64_t unit) const {
    return layout_.channels_last ? 0 : unit % of_image_;
  }

  /// Calls `compute` with each unit's number and each run in it.
  template <class Compute>
  void for_each_run(Compute compute) const {
    constexpr std::int64_t kGrainElements = 16384;
    at::parallel_for(0, count(), std::max<std::int64_t>(1, kGrainElements / (channels_ * pixels_)),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t unit = begin; unit < end; ++unit) {
                         layout_.channels_last ? runs_of_pixels(unit, compute)
                                               : runs_of_plane(unit, compute);
                       }
                     });
  }

 private:
  template <class Compute>
  void runs_of_plane(std::int64_t unit, const Compute& compute) const {
    StyledRun run{.image = image(unit), .channel = first_channel(unit)};
    for (; run.pixel < pixels_; run.pixel += kRunElements) {
      run.place = unit * pixels_ + run.pixel;
      run.length = std::min(kRunElements, pixels_ - run.pixel);
      compute(unit, run);
    }
  }

  template <class Compute>
  void runs_of_pixels(std::int64_t unit, const Compute& compute) const {
    StyledRun run{.image = image(unit), .pixel = unit % of_image_ * pixels_};
    const std::int64_t last = std::min(run.pixel + pixels_, layout_.pixel_count);
    for (; run.pixel < last; ++run.pixel) {
      for (run.channel = 0; run.channel < channels_; run.channel += kRunElements) {
        run.place = (run.image * layout_.pixel_count + run.pixel) * channels_ + run.channel;
        run.length = std::min(kRunElements, channels_ - run.channel);
        compute(unit, run);
      }
    }
  }

  ImageLayout layout_;
  std::int64_t channels_ = 1;  // of a unit
  std::int64_t pixels_ = 0;    // of a unit, the last one of an image may have fewer
  std::int64_t of_image_ = 0;  // units
};

/// Numbers along a run: each element's own, or one for all. A null array is `otherwise` everywhere.
template <class T, bool kEach>
class Along {
 public:
  Along(const void* array, std::int64_t place, const RunNumbers<T>& otherwise)
      : first_(array == nullptr ? otherwise.data() : static_cast<const T*>(array) + place),
        shared_(*first_) {}
  T operator[](std::int64_t i) const { return kEach ? first_[i] : shared_; }

 private:
  const T* first_;
  T shared_;
};

/// The operands of a run.
template <class T, bool kChannelsLast>
struct Reader {
  using OfChannels = Along<T, kChannelsLast>;
  using OfPixels = Along<T, !kChannelsLast>;

  const T* images(const void* array) const {
    return array == nullptr ? kZeros<T>.data() : static_cast<const T*>(array) + run.place;
  }
  OfChannels factors(const void* array, std::int64_t stride) const {
    return {array, run.image * stride + run.channel, kOnes<T>};
  }
  OfChannels tangents(const void* array, std::int64_t stride) const {
    return {array, run.image * stride + run.channel, kZeros<T>};
  }
  OfChannels bias(const void* array) const { return {array, run.channel, kZeros<T>}; }
  OfPixels noise(const void* array) const {
    return {array, run.image * task.noise_stride + run.pixel, kZeros<T>};
  }
  static T number(const void* array) {
    return array == nullptr ? T(0) : *static_cast<const T*>(array);
  }

  const StyledActivationTask& task;
  const StyledRun& run;
};

template <class T>
T* images(void* array, const StyledRun& run) {
  return static_cast<T*>(array) + run.place;
}

template <class T>
struct ClampedLeakyRelu {
  explicit ClampedLeakyRelu(const StyledActivationRule& rule)
      : gain(static_cast<T>(rule.gain)),
        gain_below(static_cast<T>(rule.gain * rule.slope)),
        clamps(rule.clamp >= 0),
        bound(clamps ? static_cast<T>(rule.clamp) : std::numeric_limits<T>::infinity()) {}

  T value(T u) const {
    const T v = u * (u > 0 ? gain : gain_below);
    return std::min(std::max(v, -bound), bound);
  }
  T derivative(T value) const {
    const T unclamped = value > 0 ? gain : gain_below;
    return clamps && std::abs(value) >= bound ? T(0) : unclamped;
  }

  T gain;
  T gain_below;  // 0
  bool clamps;
  T bound;
};

/// Sums of products, of each channel of a unit until write() adds them up in float64.
template <class T, bool kChannelsLast>
class Sum {
 public:
  Sum(const Units& units, void* wanted)
      : units_(units),
        wanted_(static_cast<T*>(wanted)),
        of_units_(wanted == nullptr ? 0 : units.count() * units.channels()) {}

  /// Adds a * b of a run.
  template <class Factors>
  void add(std::int64_t unit, const StyledRun& run, const T* a, const Factors& b) {
    if (wanted_ == nullptr) return;
    T* __restrict__ sums = of_units_.data() + unit * units_.channels();
    if constexpr (kChannelsLast) {
      sums += run.channel;
      for (std::int64_t i = 0; i < run.length; ++i) sums[i] += a[i] * b[i];
    } else {
      *sums += sum_of_products(a, b, run.length);
    }
  }

  /// Writes the sums where steps of an image and a channel lead to.
  void write(std::int64_t image_step, std::int64_t channel_step) const {
    if (wanted_ == nullptr) return;
    const ImageLayout& layout = units_.layout();
    std::vector<double> totals(1 + (layout.image_count - 1) * image_step +
                               (layout.channel_count - 1) * channel_step);
    for (std::int64_t unit = 0; unit < units_.count(); ++unit) {
      for (std::int64_t i = 0; i < units_.channels(); ++i) {
        const std::int64_t channel = units_.first_channel(unit) + i;
        totals[units_.image(unit) * image_step + channel * channel_step] +=
            of_units_[unit * units_.channels() + i];
      }
    }
    std::transform(totals.begin(), totals.end(), wanted_,
                   [](double total) { return static_cast<T>(total); });
  }

 private:
  const Units& units_;
  T* wanted_;
  std::vector<T> of_units_;
};

template <class T, bool kChannelsLast>
void fill(const StyledActivationArrays& arrays, const StyledActivationTask& task) {
  const ClampedLeakyRelu<T> curve(task.rule);
  Units(task.layout).for_each_run([&](std::int64_t, const StyledRun& run) {
    const Reader<T, kChannelsLast> read{task, run};
    const T* y = read.images(arrays.y);
    const auto demodulation =
        read.factors(arrays.style.demodulation, arrays.style.demodulation_stride);
    const auto bias = read.bias(arrays.style.bias);
    const auto noise = read.noise(arrays.noise);
    const T strength = read.number(arrays.style.strength);
    T* __restrict__ value = images<T>(arrays.value, run);
    for (std::int64_t i = 0; i < run.length; ++i) {
      value[i] = curve.value(demodulation[i] * y[i] + strength * noise[i] + bias[i]);
    }
    if (arrays.scaled == nullptr) return;
    const auto next_styles =
        read.factors(arrays.style.next_styles, arrays.style.next_styles_stride);
    T* __restrict__ scaled = images<T>(arrays.scaled, run);
    for (std::int64_t i = 0; i < run.length; ++i) scaled[i] = value[i] * next_styles[i];
  });
}

template <class T, bool kChannelsLast>
void fill(const StyledGradientArrays& arrays, const StyledActivationTask& task) {
  const StyledPointArrays& point = arrays.point;
  const ClampedLeakyRelu<T> curve(task.rule);
  const Units units(task.layout);
  Sum<T, kChannelsLast> of_demodulation(units, arrays.sums.demodulation);
  Sum<T, kChannelsLast> of_next_styles(units, arrays.sums.next_styles);
  Sum<T, kChannelsLast> of_bias(units, arrays.sums.bias);
  Sum<T, kChannelsLast> of_strength(units, arrays.sums.strength);
  units.for_each_run([&](std::int64_t unit, const StyledRun& run) {
    const Reader<T, kChannelsLast> read{task, run};
    const T* value = read.images(point.value);
    const T* value_gradient = read.images(point.value_gradient);
    const T* scaled_gradient = read.images(point.scaled_gradient);
    const auto next_styles = read.factors(point.style.next_styles, point.style.next_styles_stride);
    T G[kRunElements];
    for (std::int64_t i = 0; i < run.length; ++i) {
      G[i] = curve.derivative(value[i]) * (value_gradient[i] + next_styles[i] * scaled_gradient[i]);
    }
    if (arrays.d_y != nullptr) {
      const auto demodulation =
          read.factors(point.style.demodulation, point.style.demodulation_stride);
      T* __restrict__ d_y = images<T>(arrays.d_y, run);
      for (std::int64_t i = 0; i < run.length; ++i) d_y[i] = demodulation[i] * G[i];
    }
    of_demodulation.add(unit, run, G, read.images(point.y));
    of_next_styles.add(unit, run, scaled_gradient, value);
    of_bias.add(unit, run, G, read.factors(nullptr, 0));
    of_strength.add(unit, run, G, read.noise(point.noise));
  });
  of_demodulation.write(task.layout.channel_count, 1);
  of_next_styles.write(task.layout.channel_count, 1);
  of_bias.write(0, 1);
  of_strength.write(0, 0);
}

template <class T, bool kChannelsLast>
void fill(const StyledSecondGradientArrays& arrays, const StyledActivationTask& task) {
  const StyledPointArrays& point = arrays.point;
  const ClampedLeakyRelu<T> curve(task.rule);
  const Units units(task.layout);
  Sum<T, kChannelsLast> of_demodulation(units, arrays.sums.demodulation);
  Sum<T, kChannelsLast> of_next_styles(units, arrays.sums.next_styles);
  units.for_each_run([&](std::int64_t unit, const StyledRun& run) {
    const Reader<T, kChannelsLast> read{task, run};
    const T* value = read.images(point.value);
    const T* value_gradient = read.images(point.value_gradient);
    const T* scaled_gradient = read.images(point.scaled_gradient);
    const T* y = read.images(point.y);
    const T* d_y_tangent = read.images(arrays.d_y_tangent);
    const auto demodulation =
        read.factors(point.style.demodulation, point.style.demodulation_stride);
    const auto next_styles = read.factors(point.style.next_styles, point.style.next_styles_stride);
    const auto noise = read.noise(point.noise);
    const auto demodulation_tangent =
        read.tangents(arrays.tangents.demodulation, arrays.tangents.demodulation_stride);
    const auto next_styles_tangent =
        read.tangents(arrays.tangents.next_styles, arrays.tangents.next_styles_stride);
    const auto bias_tangent = read.bias(arrays.tangents.bias);
    const T strength_tangent = read.number(arrays.tangents.strength);
    T G[kRunElements];
    T MT[kRunElements];
    for (std::int64_t i = 0; i < run.length; ++i) {
      const T M = curve.derivative(value[i]);
      G[i] = M * (value_gradient[i] + next_styles[i] * scaled_gradient[i]);
      MT[i] = M * (demodulation[i] * d_y_tangent[i] + y[i] * demodulation_tangent[i] +
                   bias_tangent[i] + noise[i] * strength_tangent);
    }
    const auto write = [&](void* array, auto number) {
      if (array == nullptr) return;
      T* __restrict__ out = images<T>(array, run);
      for (std::int64_t i = 0; i < run.length; ++i) out[i] = number(i);
    };
    write(arrays.of_value_gradient, [&](std::int64_t i) { return MT[i]; });
    write(arrays.of_scaled_gradient, [&](std::int64_t i) {
      return next_styles[i] * MT[i] + value[i] * next_styles_tangent[i];
    });
    write(arrays.of_value,
          [&](std::int64_t i) { return scaled_gradient[i] * next_styles_tangent[i]; });
    write(arrays.of_y, [&](std::int64_t i) { return G[i] * demodulation_tangent[i]; });
    of_demodulation.add(unit, run, G, d_y_tangent);
    of_next_styles.add(unit, run, MT, scaled_gradient);
  });
  of_demodulation.write(task.layout.channel_count, 1);
  of_next_styles.write(task.layout.channel_count, 1);
}

template <class T, class Arrays>
void fill_in_type(const Arrays& arrays, const StyledActivationTask& task) {
  task.layout.channels_last ? fill<T, true>(arrays, task) : fill<T, false>(arrays, task);
}

}  // namespace

void styled_activation_reference(const AnyStyledArrays& arrays, const StyledActivationTask& task) {
  dispatch_full_precision(task.layout.type, "the reference of styled_activation", [&]<class T>() {
    std::visit([&](const auto& of_pass) { fill_in_type<T>(of_pass, task); }, arrays);
  });
}

}  // namespace ganscale::kernels
