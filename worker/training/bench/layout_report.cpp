#include "training/bench/layout_report.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "cost/recorder.h"
#include "tensors/move_module.h"
#include "tensors/named_tensors.h"
#include "training/phases/joined_batches.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// The parameters of a network by which a graph of autograd is read.
class Parameters {
 public:
  explicit Parameters(const torch::nn::Module& network) {
    for (const auto& [name, parameter] : named_parameters(network)) {
      names_[parameter.unsafeGetTensorImpl()] = name;
    }
  }

  struct Found {
    std::string name;  ///< of the layer
    LayerChannels channels;
  };

  /// Returns the nearest matrix that a layer's weight was computed from.
  std::optional<Found> behind(const at::Tensor& weight) const {
    if (!weight.requires_grad()) return std::nullopt;
    std::deque<torch::autograd::Edge> open = {torch::autograd::impl::gradient_edge(weight)};
    while (!open.empty()) {
      const auto [node, result] = open.front();
      open.pop_front();
      if (node == nullptr) continue;
      if (const auto* leaf = dynamic_cast<const torch::autograd::AccumulateGrad*>(node.get())) {
        if (leaf->variable.dim() > 1) return found(leaf->variable);
      } else if (node->num_outputs() > 0 && node->num_inputs() % node->num_outputs() == 0) {
        // Each result has an argument of its own, in their order.
        open.push_back(node->next_edge(result % node->num_outputs()));
      } else {
        open.insert(open.end(), node->next_edges().begin(), node->next_edges().end());
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Found> found(const at::Tensor& parameter) const {
    const auto name = names_.find(parameter.unsafeGetTensorImpl());
    if (name == names_.end()) return std::nullopt;
    return Found{name->second.substr(0, name->second.rfind('.')),
                 {.in = parameter.size(1), .out = parameter.size(0)}};
  }

  std::map<const c10::TensorImpl*, std::string> names_;
};

/// What the layers of a run compute in.
struct Numbers {
  const cost::Device& device;
  const models::LayoutPolicy& layout;
  bool tf32 = false;

  cost::Number number_of(at::ScalarType dtype) const {
    if (dtype == at::kDouble) return cost::Number::kFloat64;
    return c10::isReducedFloatingType(dtype) ? cost::Number::kLowPrecision : cost::Number::kFloat32;
  }

  std::string name_of(at::ScalarType dtype) const {
    if (dtype == at::kDouble) return "fp64";
    if (dtype == at::kHalf) return "fp16";
    if (dtype == at::kBFloat16) return "bf16";
    return tf32 ? "tf32" : "fp32";
  }
};

/// Returns a product as it is computed.
cost::MatrixProduct matrix_product_of(const cost::ProductCall& call) {
  const at::Tensor& weight = call.weight;
  if (weight.dim() == 2) return {call.features.size(0), weight.size(1), weight.size(0)};
  const bool back = call.is_transposed;
  const at::Tensor& pixels = back ? call.features : call.result;
  return {.rows = pixels.numel() / pixels.size(1),
          .columns = weight.size(back ? 1 : 0),
          .channels = weight.size(back ? 0 : 1),
          .taps = weight.size(2) * weight.size(3)};
}

/// Returns whether a batch of vectors of this size is one of images that was padded.
bool is_padded(std::int64_t vectors, std::int64_t images, const models::Layout& layout) {
  return vectors > images && vectors - images < layout.vector_multiple &&
         vectors % layout.vector_multiple == 0;
}

LaidOutLayer layer_of(const cost::ProductCall& call, std::int64_t images,
                      const Parameters& parameters, const Numbers& numbers) {
  const auto dtype = call.features.scalar_type();
  cost::MatrixProduct product = matrix_product_of(call);
  LaidOutLayer layer{.type = numbers.name_of(dtype),
                     .padded = {.in = product.channels, .out = product.columns}};
  const auto tile = cost::tile_of(numbers.device, numbers.number_of(dtype), numbers.tf32);
  if (tile) layer.in_tiles = cost::multiply_adds_in_tiles(product, *tile);
  const auto parameter = parameters.behind(call.weight);
  if (parameter) layer.name = parameter->name;
  layer.channels = parameter ? parameter->channels : layer.padded;
  product.channels = layer.channels.in;
  product.columns = layer.channels.out;
  if (call.weight.dim() == 2) {
    if (is_padded(product.rows, images, numbers.layout.layout_of(at::kMeta, dtype))) {
      layer.padded_vectors = std::exchange(product.rows, images);
    }
    layer.multiply_adds = product.multiply_adds();
    return layer;
  }
  layer.multiply_adds = product.multiply_adds();
  const bool is_last = call.features.suggest_memory_format() == at::MemoryFormat::ChannelsLast;
  layer.memory = is_last ? "channels last" : "contiguous";
  layer.kernel = call.weight.size(2);
  layer.pixels = {static_cast<int>(call.result.size(2)), static_cast<int>(call.result.size(3))};
  return layer;
}

/// Runs passes of networks on the meta device.
class Observer {
 public:
  explicit Observer(const Numbers& numbers)
      : numbers_(numbers), recorder_([this](const cost::RecordedCall& call) { see(call); }) {}

  template <class Pass>
  LaidOutNetwork run(const std::string& name, const torch::nn::Module& network, std::int64_t images,
                     const Pass& pass) {
    recorder_.take();
    images_ = images;
    parameters_.emplace(network);
    layers_.clear();
    pass();
    recorder_.take();  // throws what the listener threw
    return {.name = name, .images = images, .layers = layers_};
  }

 private:
  void see(const cost::RecordedCall& call) {
    const auto product = cost::product_of(call);
    if (product && parameters_) {
      layers_.push_back(layer_of(*product, images_, *parameters_, numbers_));
    }
  }

  const Numbers& numbers_;
  std::int64_t images_ = 0;
  std::optional<Parameters> parameters_;
  std::vector<LaidOutLayer> layers_;
  cost::Recorder recorder_;
};

/// The networks of a run without memory, and the inputs of their passes.
struct Passes {
  explicit Passes(const RunConfig& config)
      : networks(models::build_networks(config.model, /*seed=*/std::nullopt, nullptr)),
        options(at::TensorOptions(at::kMeta).dtype(parameter_dtype(config.training.precision))),
        images(image_random(config.training.seed_mode, config.training.seed, /*rank=*/0,
                            /*world_size=*/1, /*images_seen=*/0)) {
    const auto dtype = options.dtype().toScalarType();
    move_module(*networks.generator, at::kMeta, dtype);
    move_module(*networks.discriminator, at::kMeta, dtype);
  }

  at::Tensor labels(std::int64_t count) const {
    if (networks.generator->label_count() == 0) return {};
    return at::zeros({count}, options.dtype(at::kLong));
  }

  void generate(std::int64_t count) const {
    kernels::RandomStream random(images, Stream::kGeneratorNoise);
    networks.generator->forward(at::empty({count, networks.generator->z_dim()}, options),
                                labels(count), random);
  }

  void score(std::int64_t count, int batches) const {
    kernels::RandomStream random(images, Stream::kDiscriminatorNoise);
    const auto [channels, resolution] = networks.discriminator->image();
    const auto seen = at::empty({count, channels, resolution.height, resolution.width}, options);
    if (batches == 1) {
      networks.discriminator->forward(seen, labels(count), random);
    } else {
      networks.discriminator->score_batches(seen, labels(count), batches, random);
    }
  }

  models::Networks networks;
  at::TensorOptions options;
  ImageRandom images;
};

std::string channels_of(const LaidOutLayer& layer) {
  const auto text = [](const LayerChannels& channels) {
    return std::to_string(channels.in) + " -> " + std::to_string(channels.out);
  };
  if (layer.padded == layer.channels) return text(layer.channels);
  return text(layer.channels) + " (" + text(layer.padded) + ")";
}

std::string share_of(double part, double whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}%", 100 * part / whole);
}

std::string line_of(const LaidOutLayer& layer) {
  const bool has_pixels = !layer.memory.empty();
  const std::string kernel = has_pixels ? fmt::format("{0}x{0}", layer.kernel) : "";
  const std::string pixels = has_pixels ? text_of(layer.pixels) : "";
  const std::string memory =
      layer.padded_vectors == 0 ? layer.memory : fmt::format("({} images)", layer.padded_vectors);
  return fmt::format("{:<28} {:<4}  {:<13}  {:<26}  {:<6}  {:<9}  {:9.2f}  {:>6}\n", layer.name,
                     layer.type, memory, channels_of(layer), kernel, pixels,
                     layer.multiply_adds / 1e9, share_of(layer.multiply_adds, layer.in_tiles));
}

std::string table_of(const LaidOutNetwork& network) {
  std::string table =
      fmt::format("\n{:<28} {:<4}  {:<13}  {:<26}  {:<6}  {:<9}  {:>9}  {:>6}\n",
                  fmt::format("{}, {} images", network.name, network.images), "type", "memory",
                  "channels (padded)", "kernel", "pixels", "GMAC", "use");
  double useful = 0;
  double useful_in_units = 0;
  double in_tiles = 0;
  for (const LaidOutLayer& layer : network.layers) {
    table += line_of(layer);
    useful += layer.multiply_adds;
    useful_in_units += layer.in_tiles > 0 ? layer.multiply_adds : 0;
    in_tiles += layer.in_tiles;
  }
  return table + fmt::format("{:<96}  {:9.2f}  {:>6}\n", "all", useful / 1e9,
                             share_of(useful_in_units, in_tiles));
}

/// Returns the tiles of the types that layers compute in.
std::string tiles_of(const LayoutReport& report) {
  std::string text;
  std::vector<std::string> types;
  for (const LaidOutNetwork& network : report.networks) {
    for (const LaidOutLayer& layer : network.layers) {
      if (std::ranges::find(types, layer.type) == types.end()) types.push_back(layer.type);
    }
  }
  for (const std::string& type : types) {
    const bool is_low = type == "bf16" || type == "fp16";
    const auto number = is_low           ? cost::Number::kLowPrecision
                        : type == "fp64" ? cost::Number::kFloat64
                                         : cost::Number::kFloat32;
    const auto tile = cost::tile_of(report.device, number, type == "tf32");
    text += (text.empty() ? "" : "; ") + type + ": ";
    text += tile ? std::to_string(tile->rows) + " x " + std::to_string(tile->columns) + " x " +
                       std::to_string(tile->depth)
                 : "none";
  }
  return text;
}

}  // namespace

LayoutReport report_layout(RunConfig config, const cost::Device& device) {
  const bool is_cpu = device.name == "CPU-core";
  // The names of layers are read off the graph. Recomputed blocks have the same layers.
  config.model.keeps_activations = true;
  if (is_cpu) {
    config.model.layout.device = at::kCPU;
    config.model.compute_in_float32();
  }
  const auto precision = config.training.precision;
  const Numbers numbers{
      .device = device, .layout = config.model.layout, .tf32 = !is_cpu && allows_tf32(precision)};
  LayoutReport report{.device = device,
                      .is_plain = config.model.layout.is_plain,
                      .precision = describe_precision(config.training.precision, config.model)};
  Observer observer(numbers);
  const Passes passes(config);
  const auto& [generator, discriminator] = passes.networks;
  report.joins_batches = joins_batches(config, discriminator->batch_joining(), at::kMeta);
  const int batches = report.joins_batches ? 2 : 1;
  const std::int64_t count = config.training.images_per_pass();
  report.networks.push_back(
      observer.run("generator", *generator, count, [&] { passes.generate(count); }));
  report.networks.push_back(observer.run("discriminator", *discriminator, batches * count,
                                         [&] { passes.score(batches * count, batches); }));
  return report;
}

std::string to_table(const LayoutReport& report) {
  std::string table = "layout " + std::string(report.is_plain ? "plain" : "auto") + " on " +
                      std::string(report.device.name) + ", " + report.precision + "\n";
  table += std::string("reals and fakes: ") +
           (report.joins_batches ? "in one pass of the discriminator" : "one after the other") +
           "\n";
  table += "tiles of the matrix units (pixels x channels x channels): " + tiles_of(report) + "\n";
  for (const LaidOutNetwork& network : report.networks) table += table_of(network);
  return table;
}

}  // namespace ganscale::training
