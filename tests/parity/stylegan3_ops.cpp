// Kind "stylegan3_ops": results of the operators and layers of StyleGAN3; the names and the
// metadata say how they were computed.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "augment/blur/fading_blur.h"
#include "base/error.h"
#include "kernels/filtered_lrelu/filtered_lrelu.h"
#include "models/stylegan/mapping.h"
#include "models/stylegan/truncated_styles.h"
#include "models/stylegan3/filter_design.h"
#include "models/stylegan3/geometry.h"
#include "models/stylegan3/modulated_convolution.h"
#include "models/stylegan3/synthesis_input.h"
#include "models/stylegan3/synthesis_layer.h"
#include "parity/check_fixture.h"
#include "parity/settings.h"
#include "parity/stored.h"
#include "support/activation_of.h"
#include "tensors/move_module.h"
#include "tensors/with_prefix.h"

namespace ganscale::parity {
namespace {

using models::stylegan3::Layer;
using models::stylegan3::Signal;

/// The names of a fixture's cases of one operator, and what they were computed from.
struct Cases {
  const NamedTensors& tensors;
  const std::map<std::string, std::string>& metadata;
  const Arithmetic& arithmetic;
  Report& report;
  std::set<std::string>& compared;  ///< the names of the results so far

  at::Tensor input(const std::string& name) const { return arithmetic(stored(tensors, name)); }
  at::Tensor leaf(const std::string& name) const { return input(name).clone().requires_grad_(); }
  at::Tensor input_or_none(const std::string& name) const {
    return tensors.contains(name) ? input(name) : at::Tensor();
  }
  void compare(const std::string& group, const at::Tensor& ours, const std::string& name,
               double allowance = 1) const {
    report.compare(group, ours, stored(tensors, name), allowance);
    compared.insert(name);
  }
  /// Compares numbers of which none may differ, except by how pow() rounds.
  void compare_exactly(const std::string& group, const at::Tensor& ours,
                       const std::string& name) const {
    const at::Tensor& expected = stored(tensors, name);
    const bool is_same = ours.sizes() == expected.sizes() && at::allclose(ours, expected, 1e-15, 0);
    compare(group, is_same ? expected : expected + 1, name);
  }
};

/// Returns the settings "a=b;c=d" of a case.
std::map<std::string, std::string> settings_of(const Cases& in, const std::string& name) {
  std::map<std::string, std::string> settings;
  std::istringstream text(Settings(in.metadata).text(name));
  for (std::string part; std::getline(text, part, ';');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) throw DataError("no setting of a fixture: " + part);
    settings[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return settings;
}

/// Returns the words between `prefix` and the next dot in the tensors' names.
std::set<std::string> names_behind(const Cases& in, const std::string& prefix) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : with_prefix(in.tensors, prefix)) {
    names.insert(name.substr(0, name.find('.')));
  }
  return names;
}

/// Fills a module with the tensors of a case and brings it to the arithmetic of the check.
void fill(torch::nn::Module& module, const Cases& in, const std::string& prefix) {
  const at::NoGradGuard no_grad;
  move_module(module, in.arithmetic.device, in.arithmetic.type);
  for (const auto& [name, tensor] : named_state(module)) {
    const auto found = in.tensors.find(prefix + name);
    if (found != in.tensors.end()) tensor.copy_(found->second);
  }
}

double number(const std::ssub_match& text) { return std::stod(text.str()); }
std::int64_t integer(const std::ssub_match& text) { return std::stoll(text.str()); }

/// A number as Python writes it.
const std::string kSignedNumber = R"((-?\d+(?:\.\d+)?(?:e[-+]?\d+)?))";

// --- filtered leaky ReLU

void check_filtered_lrelu(const Cases& in) {
  const std::regex form(
      R"(filtered_lrelu\.up(\d+)\.down(\d+)\.pad(-?\d+)_(-?\d+)_(-?\d+)_(-?\d+)\.gain)" +
      kSignedNumber + R"(\.slope)" + kSignedNumber +
      R"(\.clamp(none|[^f]*)\.flip([01])\.fu_(\w+))" + R"(\.fd_(\w+)\.bias([01])\.y)");
  const auto filter = [&](const std::ssub_match& name) {
    return name == "none" ? at::Tensor() : in.input("filter." + name.str());
  };
  for (const auto& [name, expected] : in.tensors) {
    std::smatch parts;
    if (!std::regex_match(name, parts, form)) continue;
    kernels::FilteredLrelu options{.up = integer(parts[1]),
                                   .down = integer(parts[2]),
                                   .pad_left = integer(parts[3]),
                                   .pad_right = integer(parts[4]),
                                   .pad_top = integer(parts[5]),
                                   .pad_bottom = integer(parts[6]),
                                   .gain = number(parts[7]),
                                   .slope = number(parts[8]),
                                   .flip_filters = parts[10] == "1"};
    if (parts[9] != "none") options.clamp = number(parts[9]);
    const at::Tensor x = in.leaf("filtered_lrelu.x");
    const at::Tensor bias = parts[13] == "1" ? in.leaf("filtered_lrelu.b") : at::Tensor();
    const at::Tensor y =
        kernels::filtered_lrelu(x, bias, {filter(parts[11]), filter(parts[12])}, options);
    const std::string key = name.substr(0, name.size() - 1);
    in.compare("filtered_lrelu", y, name);
    y.backward(in.input(key + "dy"));
    in.compare("filtered_lrelu dx", x.grad(), key + "dx");
    if (bias.defined()) in.compare("filtered_lrelu db", bias.grad(), key + "db");
  }
}

// --- filters, geometry

void check_filter_design(const Cases& in) {
  const std::regex form(R"(design_lowpass_filter\.numtaps(\d+)\.cutoff)" + kSignedNumber +
                        R"(\.width)" + kSignedNumber + R"(\.fs)" + kSignedNumber +
                        R"(\.radial([01]))");
  for (const auto& [name, expected] : in.tensors) {
    std::smatch parts;
    if (!std::regex_match(name, parts, form)) continue;
    const at::Tensor taps =
        models::stylegan3::design_low_pass({.taps = static_cast<int>(integer(parts[1])),
                                            .cutoff = number(parts[2]),
                                            .transition = number(parts[3]),
                                            .sampling_rate = number(parts[4]),
                                            .is_radial = parts[5] == "1"});
    in.compare("filter design", taps.defined() ? taps : at::ones({1}, at::kDouble), name);
  }
}

models::stylegan3::SynthesisShape shape_of(const Settings& s) {
  return {.resolution = s.integer("img_resolution"),
          .image_channels = s.integer("img_channels"),
          .channel_base = s.integer("channel_base"),
          .channel_max = s.integer("channel_max"),
          .layers = s.integer("num_layers"),
          .critical_layers = s.integer("num_critical"),
          .first_cutoff = s.number("first_cutoff"),
          .first_stopband = s.number("first_stopband"),
          .last_stopband = s.number("last_stopband_rel"),
          .margin = s.integer("margin_size"),
          .kernel = s.integer("conv_kernel"),
          .filter_taps = s.integer("filter_size"),
          .activation_rate = s.integer("lrelu_upsampling"),
          .has_radial_filters = s.integer("use_radial_filters") == 1,
          .low_precision_resolutions = s.integer("num_fp16_res")};
}

/// The values of a layer's geometry by their names in the fixtures.
const std::map<std::string, std::function<double(const Layer&)>>& geometry_values() {
  static const std::map<std::string, std::function<double(const Layer&)>> all = {
      {"conv_kernel", [](const Layer& l) { return l.kernel; }},
      {"down_factor", [](const Layer& l) { return l.down(); }},
      {"down_radial", [](const Layer& l) { return l.has_radial_down_filter(); }},
      {"down_taps", [](const Layer& l) { return l.down_taps(); }},
      {"in_channels", [](const Layer& l) { return l.in.channels; }},
      {"in_cutoff", [](const Layer& l) { return l.in.cutoff; }},
      {"in_half_width", [](const Layer& l) { return l.in.half_width; }},
      {"in_sampling_rate", [](const Layer& l) { return l.in.rate; }},
      {"in_size", [](const Layer& l) { return l.in.size.width; }},
      {"is_critically_sampled", [](const Layer& l) { return l.is_critical; }},
      {"is_torgb", [](const Layer& l) { return l.is_to_rgb; }},
      {"out_channels", [](const Layer& l) { return l.out.channels; }},
      {"out_cutoff", [](const Layer& l) { return l.out.cutoff; }},
      {"out_half_width", [](const Layer& l) { return l.out.half_width; }},
      {"out_sampling_rate", [](const Layer& l) { return l.out.rate; }},
      {"out_size", [](const Layer& l) { return l.out.size.width; }},
      {"tmp_sampling_rate", [](const Layer& l) { return l.activated_rate(); }},
      {"up_factor", [](const Layer& l) { return l.up(); }},
      {"up_taps", [](const Layer& l) { return l.up_taps(); }},
      {"use_fp16", [](const Layer& l) { return l.has_low_precision; }},
  };
  return all;
}

at::Tensor padding_of(const Layer& layer) {
  const auto x = layer.padding(layer.in.size.width, layer.out.size.width);
  const auto y = layer.padding(layer.in.size.height, layer.out.size.height);
  return at::tensor({x.before, x.after, y.before, y.after}, at::kDouble);
}

void check_geometry(const Cases& in) {
  for (const std::string& name : names_behind(in, "layers.")) {
    const auto settings = settings_of(in, "layers." + name);
    const auto shape = shape_of(Settings(settings));
    const auto layers = models::stylegan3::layers_of(shape);
    const std::string prefix = "layers." + name + ".";
    const auto list = [&](const auto& value) {
      std::vector<double> values;
      for (const Layer& layer : layers) values.push_back(value(layer));
      return at::tensor(values, at::kDouble);
    };
    for (const auto& [key, value] : geometry_values()) {
      in.compare_exactly("layers", list(value), prefix + key);
    }
    std::vector<at::Tensor> paddings;
    for (const Layer& layer : layers) paddings.push_back(padding_of(layer));
    in.compare_exactly("layers", at::stack(paddings), prefix + "padding");
    const Signal input = input_signal(shape);
    in.compare_exactly(
        "layers",
        at::tensor({static_cast<double>(input.channels), static_cast<double>(input.size.width),
                    static_cast<double>(input.rate), input.cutoff},
                   at::kDouble),
        prefix + "input");
  }
}

// --- layers

/// Reads a width and a height, in this order.
Resolution size_of(const std::string& text) {
  const auto x = text.find('x');
  if (x == std::string::npos) throw DataError("no size of a fixture: " + text);
  return {/*height=*/std::stoi(text.substr(x + 1)), /*width=*/std::stoi(text.substr(0, x))};
}

void check_synthesis_input(const Cases& in) {
  for (const std::string& name : names_behind(in, "synthesis_input.")) {
    const std::string prefix = "synthesis_input." + name + ".";
    const auto values = settings_of(in, "synthesis_input." + name);
    const Settings settings(values);
    const at::Tensor w = in.input(prefix + "w");
    models::stylegan3::SynthesisInput layer(
        {.channels = static_cast<int>(stored(in.tensors, prefix + "freqs").size(0)),
         .size = size_of(settings.text("size")),
         .rate = settings.integer("sampling_rate"),
         .cutoff = settings.number("bandwidth")},
        static_cast<int>(w.size(1)));
    fill(layer, in, prefix);
    for (const auto& [motion, transform] : with_prefix(in.tensors, prefix + "transform.")) {
      layer.transform().copy_(transform);
      const at::Tensor y = layer.forward(w);
      in.compare("synthesis input", y, prefix + "y." + motion);
      if (motion != "identity") continue;
      y.backward(in.input(prefix + "dy"));
      for (const auto& [key, parameter] : named_parameters(layer)) {
        in.compare("synthesis input gradients", parameter.grad(), prefix + "grad." + key);
      }
    }
  }
}

void check_modulated_convolution(const Cases& in) {
  const std::regex form(
      R"(modulated_conv2d\.kernel(\d+)\.demod([01])\.pad(\d+)\.gain_(none|scalar|channel|sample))");
  for (const auto& [name, expected] : in.tensors) {
    std::smatch parts;
    if (!std::regex_match(name, parts, form)) continue;
    const at::Tensor gain = in.input_or_none("modulated_conv2d.gain_" + parts[4].str());
    in.compare(
        "modulated convolution",
        models::stylegan3::modulated_convolution(
            in.input("modulated_conv2d.x"), in.input("modulated_conv2d.w" + parts[1].str()),
            in.input("modulated_conv2d.s"),
            {.demodulates = parts[2] == "1", .padding = integer(parts[3]), .input_gain = gain}),
        name);
  }
}

void check_fully_connected(const Cases& in) {
  const std::regex form(R"(fully_connected\.(\w+)\.lr)" + kSignedNumber + R"(\.bias([01]))");
  const std::regex initial(R"(fully_connected\.init_bias\.bias_init([-\d._e]+)\.lr)" +
                           kSignedNumber);
  for (const auto& [name, expected] : in.tensors) {
    std::smatch parts;
    if (std::regex_match(name, parts, form)) {
      const at::Tensor weight = in.input("fully_connected.weight");
      models::stylegan::FullyConnected layer(
          weight.size(1), weight.size(0),
          {.activation = kernels::activation_of(parts[1]), .rate_multiplier = number(parts[2])});
      fill(layer, in, "fully_connected.");
      if (parts[3] == "0") layer.bias().detach().zero_();
      in.compare("fully connected", layer.forward(in.input("fully_connected.x")), name);
    } else if (std::regex_match(name, parts, initial)) {
      std::vector<double> values;
      std::istringstream text(parts[1]);
      for (std::string one; std::getline(text, one, '_');) values.push_back(std::stod(one));
      const models::stylegan::FullyConnected layer(
          1, expected.size(0), {.rate_multiplier = number(parts[2]), .first_bias = values});
      // Parameters begin in float32.
      in.compare("initial biases", layer.bias(), name, in.arithmetic.is_float64() ? 1e2 : 1);
    }
  }
}

void check_mapping(const Cases& in) {
  for (const std::string& name : names_behind(in, "mapping.")) {
    const std::string prefix = "mapping." + name + ".";
    const auto values = settings_of(in, "mapping." + name);
    const Settings settings(values);
    models::stylegan::Mapping mapping({.z_dim = settings.integer("z_dim"),
                                       .label_count = settings.integer("c_dim"),
                                       .width = settings.integer("w_dim"),
                                       .layers = settings.integer("num_layers"),
                                       .rate_multiplier = settings.number("lr_multiplier"),
                                       .average_beta = settings.number("w_avg_beta")});
    fill(mapping, in, prefix);
    const at::Tensor labels =
        settings.integer("c_dim") > 0 ? at::argmax(in.input(prefix + "c"), 1) : at::Tensor();
    const at::Tensor w = mapping.forward(in.input(prefix + "z"), labels);
    const auto styles = [&](const models::Truncation& truncation) {
      return models::stylegan::truncated_styles(w, mapping.average(), settings.integer("num_ws"),
                                                truncation);
    };
    in.compare("mapping", styles({}), prefix + "y.w");
    const std::regex truncated(R"(w_psi)" + kSignedNumber + R"((?:_cutoff(\d+))?(_update)?)");
    // Those after an update come after those before.
    for (const bool is_updated : {false, true}) {
      if (is_updated) mapping.track_average(w.mean(0));
      for (const auto& [key, expected] : with_prefix(in.tensors, prefix + "y.")) {
        std::smatch parts;
        if (!std::regex_match(key, parts, truncated) || parts[3].matched != is_updated) continue;
        const std::int64_t cutoff = parts[2].matched ? integer(parts[2]) : -1;
        in.compare("mapping", styles({number(parts[1]), cutoff}), prefix + "y." + key);
      }
    }
    in.compare("mapping", mapping.average(), prefix + "y.w_avg_updated");
  }
}

Layer layer_of(const Settings& s) {
  const auto signal = [&](const std::string& side) {
    return Signal{.channels = s.integer(side + "_channels"),
                  .size = size_of(s.text(side + "_size")),
                  .rate = s.integer(side + "_sampling_rate"),
                  .cutoff = s.number(side + "_cutoff"),
                  .half_width = s.number(side + "_half_width")};
  };
  const bool is_to_rgb = s.integer("is_torgb") == 1;
  return {.in = signal("in"),
          .out = signal("out"),
          .kernel = is_to_rgb ? 1 : s.integer("conv_kernel"),
          .filter_taps = s.integer("filter_size"),
          .activation_rate = s.integer("lrelu_upsampling"),
          .is_to_rgb = is_to_rgb,
          .is_critical = s.integer("is_critically_sampled") == 1,
          .has_radial_filters = s.integer("use_radial_filters") == 1};
}

void check_synthesis_layer(const Cases& in) {
  const at::NoGradGuard no_grad;
  for (const std::string& name : names_behind(in, "synthesis_layer.")) {
    const std::string prefix = "synthesis_layer." + name + ".";
    const auto values = settings_of(in, "synthesis_layer." + name);
    const Settings settings(values);
    const at::Tensor x = in.input(prefix + "x");
    const at::Tensor w = in.input(prefix + "w");
    models::stylegan3::SynthesisLayerOptions options{
        .layer = layer_of(settings),
        .w_dim = static_cast<int>(w.size(1)),
        .magnitude_beta = settings.number("magnitude_ema_beta")};
    if (settings.text("conv_clamp") != "none") options.clamp = settings.number("conv_clamp");
    models::stylegan3::SynthesisLayer layer(options);
    fill(layer, in, prefix);
    in.compare_exactly("layers", padding_of(options.layer), prefix + "y.padding");
    const NamedTensors state = named_state(layer);
    for (const char* filter : {"up_filter", "down_filter"}) {
      if (state.contains(filter)) {
        in.compare("synthesis layer filters", state.at(filter), prefix + "y." + filter);
      }
    }
    in.compare("synthesis layer", layer.forward(x, w, /*tracks=*/false), prefix + "y.out");
    in.compare("synthesis layer", layer.forward(x, w, /*tracks=*/true), prefix + "y.out_update");
    in.compare("synthesis layer magnitude", state.at("magnitude_ema"),
               prefix + "y.magnitude_ema_updated");
  }
}

void check_blur(const Cases& in) {
  const std::regex form(R"(blur\.sigma)" + kSignedNumber);
  for (const auto& [name, expected] : in.tensors) {
    std::smatch parts;
    if (!std::regex_match(name, parts, form)) continue;
    in.compare("blur", augment::blurred(in.input("blur.x"), number(parts[1])), name);
  }
}

/// Returns whether a tensor is what cases are computed from.
bool is_input_of_cases(const std::string& name) {
  static const std::regex form(
      R"(filter\..+|blur\.x|filtered_lrelu\..+\.dy)"
      R"(|(?:filtered_lrelu|fully_connected|modulated_conv2d)\.[^.]+)"
      R"(|(?:mapping|synthesis_input|synthesis_layer)\.[^.]+\.(?!y\.|grad\.).+)");
  return std::regex_match(name, form);
}

}  // namespace

void check_stylegan3_ops(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                         Report& report) {
  const std::map<std::string, void (*)(const Cases&)> checks = {
      {"filtered_lrelu", check_filtered_lrelu},
      {"design_lowpass_filter", check_filter_design},
      {"layers", check_geometry},
      {"synthesis_input", check_synthesis_input},
      {"modulated_conv2d", check_modulated_convolution},
      {"fully_connected", check_fully_connected},
      {"mapping", check_mapping},
      {"synthesis_layer", check_synthesis_layer},
      {"blur", check_blur},
  };
  std::set<std::string> compared;
  const Cases cases{fixture.tensors, fixture.metadata, arithmetic, report, compared};
  for (const std::string& name : names_behind(cases, "")) {
    if (name == "filter") continue;  // an input
    const auto check = checks.find(name);
    if (check == checks.end()) {
      throw ConfigError("no operator for these tensors of the fixture: " + name);
    }
    check->second(cases);
  }
  for (const auto& [name, tensor] : fixture.tensors) {
    if (compared.contains(name) || is_input_of_cases(name)) continue;
    throw ConfigError("no operator for this tensor of the fixture: " + name);
  }
}

}  // namespace ganscale::parity
