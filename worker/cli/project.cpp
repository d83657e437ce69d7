#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "checkpoint/safetensors.h"
#include "cli/add_verb.h"
#include "cli/images/image_sampler.h"
#include "cli/options/generator_options.h"
#include "cli/options/number_checks.h"
#include "cli/verbs.h"
#include "data/image/decode.h"
#include "files/atomic_file.h"
#include "report/log/progress.h"
#include "report/media/image_grid.h"
#include "training/generators/projector.h"

namespace ganscale::cli {
namespace {

constexpr auto kProjectExample =
    "\n"
    "Examples:\n"
    "  ganscale project --run runs/faces --target me.jpg --out-dir me/\n"
    "  ganscale project --run runs/faces --target me.jpg --perceptual-net vgg16.pt --out-dir me/\n"
    "\n"
    "Writes target.png, projected.png and projected.safetensors: the style vectors \"w\" and the\n"
    "noise maps, if the generator has noise, that reproduce the target most closely.";

struct ProjectOptions {
  GeneratorOptions generator;
  std::string device = "auto";
  std::filesystem::path target;
  std::filesystem::path out_dir;
  std::filesystem::path perceptual_net;
  std::int64_t label = -1;
  training::ProjectionOptions projection;
};

/// Reads an image as the generator makes them, [1, C, H, W] in [-1, 1] and on its device.
at::Tensor read_target(const std::filesystem::path& file, const models::Generator& generator) {
  const std::string bytes = files::read_file(file);
  const auto shape = generator.image();
  data::Record record;
  record.encoding = data::Encoding::kFile;
  record.bytes = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  std::vector<std::uint8_t> chw(
      static_cast<std::size_t>(shape.channels * shape.resolution.pixels()));
  try {
    data::decode_into(record,
                      {.channels = shape.channels,
                       .resolution = shape.resolution,
                       .fit = data::Fit::kResize,
                       .convert_colors = true},
                      chw);
  } catch (const DataError& error) {
    throw DataError(file.string() + ": " + error.what());
  }
  const auto [height, width] = shape.resolution;
  const auto pixels = at::from_blob(chw.data(), {1, shape.channels, height, width}, at::kByte);
  return pixels.to(generator.parameters().front().options()) / 127.5 - 1;
}

at::Tensor label_of(const ProjectOptions& options, const models::Generator& generator) {
  const auto count = generator.label_count();
  if (count == 0 && options.label < 0) return {};
  if (options.label >= 0 && options.label < count) return at::tensor({options.label});
  if (count == 0) throw UsageError("--label: the model of this run is unconditional");
  throw UsageError("--label: give one of 0-" + std::to_string(count - 1));
}

/// Opens the network that compares images; null if none was given.
std::unique_ptr<metrics::PerceptualNet> open_perceptual_net(const ProjectOptions& options,
                                                            const models::Generator& generator,
                                                            at::Device device) {
  if (options.perceptual_net.empty()) return nullptr;
  return metrics::open_perceptual_net({.file = options.perceptual_net}, generator.image(), device)
      .net;
}

ExitCode project(const ProjectOptions& options) {
  const auto device = open_device(options.device);
  const auto trained = load_generator(options.generator);
  trained.generator->to(device);
  auto* generator = trained.generator->as_style_generator();
  if (generator == nullptr) {
    refuse_bundle_with_styles("project", trained);
    throw UsageError("this model has no styles to project into: " + trained.config.model.name);
  }
  const auto label = label_of(options, *generator);
  const auto file = options.out_dir / "projected.safetensors";
  files::prepare_to_write(file);
  training::ProjectionOptions projection = options.projection;
  projection.label = label.defined() ? label.to(device) : label;
  const auto net = open_perceptual_net(options, *generator, device);
  projection.perceptual_net = net.get();
  const auto target = read_target(options.target, *generator);
  report::ProgressBar bar("steps", projection.step_count);
  const auto found = training::project(*generator, target, projection,
                                       [&](int step, double) { bar.update(step); });
  NamedTensors tensors = found.noise_maps;
  tensors["w"] = found.style;
  report::write_image_grid(target, {.columns = 1}, options.out_dir / "target.png");
  report::write_image_grid(found.image, {.columns = 1}, options.out_dir / "projected.png");
  checkpoint::write_safetensors(file, tensors, {{"kind", "projection"}});
  log::info("Projected", {{"to", options.out_dir}, {"distance", found.distance}});
  return ExitCode::kOk;
}

}  // namespace

void add_project(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action,
      {"project", "Find the style and noise that reproduce an image with a style-based generator",
       kProjectExample},
      project);
  add_generator_options(verb, options.generator);
  add_device_option(verb, options.device);
  verb.add_option("--target", options.target,
                  "image file; its center is cropped to the proportions of the generator's images")
      ->required()
      ->type_name("FILE");
  verb.add_option("--out-dir", options.out_dir, "folder for the results")
      ->required()
      ->type_name("DIR");
  verb.add_option("--perceptual-net", options.perceptual_net,
                  "TorchScript network that compares the images, such as NVIDIA's vgg16.pt; "
                  "default: compare pixels at all sizes")
      ->type_name("FILE");
  verb.add_option("--steps", options.projection.step_count, "number of optimization steps")
      ->check(positive_integer)
      ->capture_default_str();
  verb.add_option("--seed", options.projection.seed, "seed of the optimization")
      ->capture_default_str();
  verb.add_option("--label", options.label, "label of a conditional model");
}

}  // namespace ganscale::cli
