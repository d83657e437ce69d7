#include <vector>

#include "kernels/styled_activation/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

/// Which operands there are.
enum class Present { kAll, kAllWithSharedNoise, kAllApart, kBiasAlone };

class StyledActivationOnHost : public KernelOnHost {
 protected:
  static const void* data_of(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.const_data_ptr() : nullptr;
  }
  static void* output_of(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
  }
  static std::int64_t stride_of(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.stride(0) : 0;
  }

  struct Operands {
    at::Tensor value, y, value_gradient, scaled_gradient, y_tangent;  // [N, C, H, W]
    at::Tensor noise, demodulation, next_styles, bias, strength;

    /// The same numbers as a reference takes them.
    Operands widened() const {
      Operands result = *this;
      for (at::Tensor* images : {&result.value, &result.y, &result.value_gradient,
                                 &result.scaled_gradient, &result.y_tangent}) {
        if (images->defined()) *images = wide(*images);
      }
      return result;
    }
    StyleInputs style() const {
      return {{data_of(demodulation), data_of(next_styles), data_of(bias), data_of(strength)},
              stride_of(demodulation),
              stride_of(next_styles)};
    }
    /// Other numbers of the same shapes.
    StyleInputs tangents() const {
      return {{data_of(next_styles), data_of(demodulation), data_of(bias), data_of(strength)},
              stride_of(next_styles),
              stride_of(demodulation)};
    }
    StyledPointArrays point() const {
      return {data_of(value_gradient), data_of(scaled_gradient),
              data_of(value),          data_of(y),
              data_of(noise),          style()};
    }
  };

  /// All but values are positive, so that no sum loses its digits.
  static Operands operands(const ImageLayout& layout, Present present) {
    const auto N = layout.image_count;
    const auto C = layout.channel_count;
    const auto P = layout.pixel_count;
    const auto images = [&] { return numbers({N, C, P}).abs(); };
    const auto others = [&](at::IntArrayRef shape) { return wide(numbers(shape).abs()); };
    Operands in{.value = numbers({N, C, P}),
                .y = images(),
                .value_gradient = images(),
                .scaled_gradient = images(),
                .y_tangent = images(),
                .noise = others({present == Present::kAllWithSharedNoise ? 1 : N, P}),
                .demodulation = others({N, C}),
                .next_styles = others({N, C}),
                .bias = others({C}),
                .strength = others({})};
    if (present == Present::kAllApart) {
      in.noise = others({N, P + 17}).slice(1, 17);
      in.demodulation = others({N, C + 5}).slice(1, 5);
      in.next_styles = others({N, C + 3}).slice(1, 3);
    }
    if (present == Present::kBiasAlone) {
      in.noise = in.strength = in.demodulation = in.next_styles = in.scaled_gradient = at::Tensor();
    }
    return in;
  }

  /// What a derivative writes: up to four images, and sums.
  struct Results {
    std::vector<at::Tensor> images;
    at::Tensor demodulation, next_styles, bias, strength;

    StyleSums sums() const {
      return {output_of(demodulation), output_of(next_styles), output_of(bias),
              output_of(strength)};
    }
  };

  static at::Tensor blank(at::IntArrayRef shape, const at::Tensor& like) {
    return at::full(shape, -77, like.options());
  }

  /// Results in the type of the operands. Second derivatives have no sums of bias and strength.
  static Results results(const Operands& in, const ImageLayout& layout, std::size_t images) {
    const auto N = layout.image_count;
    const auto C = layout.channel_count;
    Results out;
    for (std::size_t i = 0; i < images; ++i) out.images.push_back(at::full_like(in.value, -77));
    if (in.demodulation.defined()) out.demodulation = blank({N, C}, in.bias);
    if (in.next_styles.defined()) out.next_styles = blank({N, C}, in.bias);
    if (images == 1) out.bias = blank({C}, in.bias);
    if (images == 1 && in.strength.defined()) out.strength = blank({}, in.bias);
    return out;
  }

  /// Sums of blocks for the sums of `out`.
  static Results of_blocks(const Results& out, const ImageLayout& layout) {
    const auto blocks = styled_activation_blocks(layout);
    const std::vector<std::int64_t> shape = {blocks.parts, layout.image_count,
                                             layout.channel_count};
    Results parts;
    parts.images = out.images;
    const auto of = [&](const at::Tensor& sum, at::IntArrayRef of_blocks) {
      return sum.defined() ? blank(of_blocks, sum) : at::Tensor();
    };
    parts.demodulation = of(out.demodulation, shape);
    parts.next_styles = of(out.next_styles, shape);
    parts.bias = of(out.bias, shape);
    parts.strength = of(out.strength, {blocks.parts, layout.image_count, blocks.channel_blocks});
    return parts;
  }

  static void expect_all_close(const Results& kernel, const Results& reference) {
    for (std::size_t i = 0; i < kernel.images.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "images " << i);
      expect_close(kernel.images[i], reference.images[i]);
    }
    const auto expect_sum = [](const char* name, const at::Tensor& sum, const at::Tensor& of) {
      SCOPED_TRACE(name);
      if (sum.defined()) expect_close(sum, of);
    };
    expect_sum("demodulation", kernel.demodulation, reference.demodulation);
    expect_sum("next styles", kernel.next_styles, reference.next_styles);
    expect_sum("bias", kernel.bias, reference.bias);
    expect_sum("strength", kernel.strength, reference.strength);
  }

  /// Expects a kernel and its sums to equal the reference.
  template <class ArraysOf>
  static void expect_derivative(const Operands& in, StyledActivationTask task, std::size_t images,
                                ArraysOf arrays_of) {
    task.layout.type = GetParam().type;
    const Results kernel = results(in, task.layout, images);
    const Results parts = of_blocks(kernel, task.layout);
    styled_activation_kernel(arrays_of(in, parts), task, nullptr);
    styled_sums_kernel({data_of(parts.demodulation), data_of(parts.next_styles),
                        data_of(parts.bias), data_of(parts.strength)},
                       kernel.sums(), task.layout, nullptr);
    task.layout.type = wide_type();
    const Operands wide_in = in.widened();
    const Results reference = results(wide_in, task.layout, images);
    styled_activation_reference(arrays_of(wide_in, reference), task);
    expect_all_close(kernel, reference);
  }

  /// Calls `expect` for layouts of all kinds: channels and pixels that fill vectors and blocks, and
  /// such that do not; several blocks for the channels, several parts of the pixels; images whose sums
  /// are more than a block adds up at once.
  template <class Expect>
  static void for_each_task(Expect expect) {
    std::vector<ImageLayout> layouts = {
        {.image_count = 2, .channel_count = 19, .pixel_count = 64},
        {.image_count = 2, .channel_count = 33, .pixel_count = 35, .channels_last = true},
        {.image_count = 2, .channel_count = 3, .pixel_count = 35},
        {.image_count = 1, .channel_count = 3, .pixel_count = 8200},
        {.image_count = 1, .channel_count = 1, .pixel_count = 1, .channels_last = true},
        {.image_count = 2, .channel_count = 72, .pixel_count = 150, .channels_last = true},
        {.image_count = 40, .channel_count = 9, .pixel_count = 4}};
    std::vector<Present> presents = {Present::kAll, Present::kAllWithSharedNoise,
                                     Present::kAllApart, Present::kBiasAlone};
    if (host_grid::is_slow()) {
      layouts.resize(2);
      presents.resize(1);
    }
    for (const ImageLayout& layout : layouts) {
      for (const auto present : presents) {
        SCOPED_TRACE(testing::Message()
                     << layout.channel_count << " channels, " << layout.pixel_count << " pixels, "
                     << (layout.channels_last ? "channels last" : "contiguous") << ", present "
                     << static_cast<int>(present));
        const Operands in = operands(layout, present);
        const bool has_planes = in.noise.defined() && present != Present::kAllWithSharedNoise;
        expect(in, StyledActivationTask{.layout = layout,
                                        .rule = {.gain = 1.5, .clamp = 1.25, .slope = 0.25},
                                        .noise_stride = has_planes ? in.noise.stride(0) : 0});
      }
    }
  }
};

TEST_P(StyledActivationOnHost, FillsTheValuesOfTheReference) {
  for_each_task([](const Operands& in, StyledActivationTask task) {
    const auto arrays_of = [](const Operands& from, const Results& out) {
      return StyledActivationArrays{
          .value = output_of(out.images[0]),
          .scaled = from.next_styles.defined() ? output_of(out.images[1]) : nullptr,
          .y = data_of(from.value),  // of both signs
          .noise = data_of(from.noise),
          .style = from.style()};
    };
    const Results kernel = results(in, task.layout, 2);
    task.layout.type = GetParam().type;
    styled_activation_kernel(arrays_of(in, kernel), task, nullptr);
    const Operands wide_in = in.widened();
    const Results reference = results(wide_in, task.layout, 2);
    task.layout.type = wide_type();
    styled_activation_reference(arrays_of(wide_in, reference), task);
    expect_close(kernel.images[0], reference.images[0]);
    expect_close(kernel.images[1], reference.images[1]);
  });
}

TEST_P(StyledActivationOnHost, FillsTheGradientsOfTheReference) {
  for_each_task([](const Operands& in, const StyledActivationTask& task) {
    expect_derivative(in, task, 1, [](const Operands& from, const Results& out) {
      return StyledGradientArrays{
          .d_y = output_of(out.images[0]), .sums = out.sums(), .point = from.point()};
    });
  });
}

TEST_P(StyledActivationOnHost, FillsTheSecondGradientsOfTheReference) {
  for_each_task([](const Operands& in, const StyledActivationTask& task) {
    expect_derivative(in, task, 4, [](const Operands& from, const Results& out) {
      return StyledSecondGradientArrays{.of_value_gradient = output_of(out.images[0]),
                                        .of_scaled_gradient = output_of(out.images[1]),
                                        .of_value = output_of(out.images[2]),
                                        .of_y = output_of(out.images[3]),
                                        .sums = out.sums(),
                                        .d_y_tangent = data_of(from.y_tangent),
                                        .tangents = from.tangents(),
                                        .point = from.point()};
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Types, StyledActivationOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
