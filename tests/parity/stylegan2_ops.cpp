// Kind "stylegan2_ops": results of the operators of StyleGAN2; the names say how they were
// computed.
#include <functional>
#include <regex>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"
#include "kernels/convolution/convolution.h"
#include "kernels/upfirdn2d/upfirdn2d.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"
#include "support/activation_of.h"
#include "unit/kernels/modulated_conv2d.h"

namespace ganscale::parity {
namespace {

/// What one result of the fixture is computed from.
class Case {
 public:
  Case(const NamedTensors& tensors, const Arithmetic& arithmetic, std::smatch parts)
      : tensors_(tensors), arithmetic_(arithmetic), parts_(std::move(parts)) {}

  at::Tensor tensor(const std::string& name) const { return arithmetic_(stored(tensors_, name)); }
  at::Tensor in_layer(const std::string& name) const {
    return arithmetic_.in_layer(stored(tensors_, name));
  }
  bool has(std::size_t part) const { return parts_[part].matched; }
  std::string text(std::size_t part) const { return parts_[part].str(); }
  double number(std::size_t part) const { return std::stod(text(part)); }
  std::int64_t integer(std::size_t part) const { return std::stoll(text(part)); }

 private:
  const NamedTensors& tensors_;
  const Arithmetic& arithmetic_;
  std::smatch parts_;
};

at::Tensor compute_upfirdn2d(const Case& in) {
  const auto up = in.integer(1);
  const auto down = in.integer(2);
  return kernels::upfirdn2d(in.in_layer("upfirdn2d.x"), in.tensor("filter_1331"),
                            {.up_x = up,
                             .up_y = up,
                             .down_x = down,
                             .down_y = down,
                             .pad_left = in.integer(3),
                             .pad_right = in.integer(4),
                             .pad_top = in.integer(5),
                             .pad_bottom = in.integer(6),
                             .gain = in.number(7),
                             .flip_filter = in.integer(8) == 1});
}

at::Tensor compute_upsample2d(const Case& in) {
  return kernels::upsample2d(in.in_layer("upfirdn2d.x"), in.tensor("filter_1331"));
}

at::Tensor compute_downsample2d(const Case& in) {
  return kernels::downsample2d(in.in_layer("upfirdn2d.x"), in.tensor("filter_1331"));
}

at::Tensor compute_filter2d(const Case& in) {
  // A filter of 4 x 4 taps, after which an image has the size it had.
  return kernels::upfirdn2d(in.in_layer("upfirdn2d.x"), in.tensor("filter_1331"),
                            {.pad_left = 2, .pad_right = 1, .pad_top = 2, .pad_bottom = 1});
}

at::Tensor compute_bias_act(const Case& in) {
  kernels::BiasAct options{.activation = kernels::activation_of(in.text(1))};
  options.gain = in.has(2) ? in.number(2) : kernels::default_gain(options.activation);
  if (in.has(3)) options.clamp = in.number(3);
  return kernels::bias_act(in.in_layer("upfirdn2d.x"), in.in_layer("bias_act.b"), options);
}

at::Tensor compute_resampled_convolution(const Case& in) {
  return kernels::resampled_convolution2d(
      in.in_layer("upfirdn2d.x"), in.in_layer("conv2d_resample.w"), in.tensor("filter_1331"),
      {.up = in.integer(1), .down = in.integer(2)});
}

at::Tensor compute_modulated_conv(const Case& in) {
  const auto up = in.integer(1);
  return kernels::modulated_conv2d(
      in.in_layer("upfirdn2d.x"), in.tensor("modulated_conv2d.w"),
      in.tensor("modulated_conv2d.styles"), in.tensor("filter_1331"),
      {.resampling = {.up = up, .flip_weight = up > 1}, .demodulate = in.integer(2) == 1});
}

/// A group of results: which names are its, and how each is computed.
struct Operator {
  std::string group;
  std::regex name;
  std::function<at::Tensor(const Case&)> compute;
};

/// A number as Python writes it.
const std::string kNumber = R"((\d+(?:\.\d+)?(?:e[-+]\d+)?))";

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
      {"upfirdn2d",
       std::regex(R"(upfirdn2d\.up(\d+)\.down(\d+)\.pad(-?\d+)_(-?\d+)_(-?\d+)_(-?\d+))"
                  R"(\.gain)" +
                  kNumber + R"(\.flip([01]))"),
       compute_upfirdn2d},
      {"upsample2d", std::regex("upsample2d"), compute_upsample2d},
      {"downsample2d", std::regex("downsample2d"), compute_downsample2d},
      {"filter2d", std::regex("filter2d"), compute_filter2d},
      {"bias_act",
       std::regex(R"(bias_act\.([a-z]{2,})(?:\.gain)" + kNumber + R"()?(?:\.clamp)" + kNumber +
                  ")?"),
       compute_bias_act},
      {"conv2d_resample", std::regex(R"(conv2d_resample\.up(\d+)\.down(\d+))"),
       compute_resampled_convolution},
      {"modulated_conv2d", std::regex(R"(modulated_conv2d\.up(\d+)\.demod([01]))"),
       compute_modulated_conv},
  };
  return all;
}

bool is_input(const std::string& name) {
  return name.starts_with("filter_") || name.ends_with(".x") || name.ends_with(".w") ||
         name.ends_with(".b") || name.ends_with(".styles");
}

}  // namespace

void check_stylegan2_ops(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                         Report& report) {
  for (const auto& [name, expected] : fixture.tensors) {
    if (is_input(name)) continue;
    bool known = false;
    for (const Operator& one : operators()) {
      std::smatch parts;
      if (!std::regex_match(name, parts, one.name)) continue;
      known = true;
      report.compare(one.group, one.compute(Case(fixture.tensors, arithmetic, parts)), expected);
    }
    if (!known) throw ConfigError("no operator for this tensor of the fixture: " + name);
  }
}

}  // namespace ganscale::parity
