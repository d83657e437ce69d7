#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "cli/add_verb.h"
#include "cli/images/image_sampler.h"
#include "cli/images/latent_walk.h"
#include "cli/images/number_list.h"
#include "cli/images/style_mixing.h"
#include "cli/options/generator_options.h"
#include "cli/options/number_checks.h"
#include "cli/verbs.h"
#include "config/units.h"
#include "files/atomic_file.h"
#include "models/contract/image_motion.h"
#include "report/log/progress.h"
#include "report/media/image_grid.h"
#include "training/generators/trained_generator.h"

namespace ganscale::cli {
namespace {

constexpr auto kGenerateExample =
    "\nExamples:\n"
    "  ganscale generate --run runs/r1 --seeds 0-63 --grid 8x8 --out grid.png\n"
    "  ganscale generate --run runs/r1 --seeds 0-9 --labels 3 --out-dir threes/\n"
    "  ganscale generate --run runs/r1 --labels cat,dog --grid 8x2 --seeds 0-15 --out pets.png\n"
    "  ganscale generate --checkpoint runs/r1/checkpoints/kimg-000200 --seeds 7 --out seven.png\n"
    "  ganscale generate --run runs/r1 --seeds 1-6 --walk 60 --truncation 0.7 --out walk.webp\n"
    "  ganscale generate --run runs/r1 --seeds 1-6 --walk 30 --grid 2x5 --out all-labels.webp\n"
    "  ganscale generate --run runs/r1 --seeds 1-6 --walk 60 --rotate 360 --out turning.webp\n"
    "  ganscale generate --run runs/r1 --mix-rows 1-4 --mix-columns 5-9 --out mixed.png\n\n"
    "Seed i is the latent of image i in the run's sample grids, for all checkpoints. --labels\n"
    "are assigned to the seeds in turn; with --labels data each seed draws its label with the\n"
    "frequency of the labels in the data.";

struct GenerateOptions {
  GeneratorOptions generator;
  std::string device = "auto";
  std::string seeds = "0-63";
  std::string labels;
  std::string grid;
  int scale = 1;
  std::filesystem::path out;
  std::filesystem::path out_dir;
  SamplingOptions sampling;
  double rotation = 0;
  std::vector<double> translation;  ///< right and down, in shorter sides; empty: none
  int walk_frames = 0;
  std::optional<std::string> mix_rows;
  std::string mix_columns;
  std::string mix_layers;
};

/// Parses a grid "ROWSxCOLUMNS" with room for `count` images; by default it is nearly square.
report::GridLayout grid_layout(const std::string& text, std::int64_t count) {
  if (text.empty()) return report::square_layout(count);
  const auto x = std::min(text.find('x'), text.size() - 1);
  const auto rows = config::parse_integer(text.substr(0, x));
  const auto columns = config::parse_integer(text.substr(x + 1));
  if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > 1000 || *columns > 1000) {
    throw UsageError("--grid: expected ROWSxCOLUMNS, such as 8x8: " + text);
  }
  if (*rows * *columns < count) {
    throw UsageError("--grid: no room for all images: " + text + " for " + std::to_string(count));
  }
  return {.columns = static_cast<int>(*columns)};
}

/// Returns the layout of --out with so many images.
report::GridLayout layout_of(const GenerateOptions& options, std::size_t count) {
  auto layout = grid_layout(options.grid, static_cast<std::int64_t>(count));
  layout.scale = options.scale;
  return layout;
}

/// Returns how all images are turned and moved: 0 if they aren't.
models::ImageMotion motion_of(const GenerateOptions& options) {
  models::ImageMotion motion{.degrees = options.rotation};
  if (!options.translation.empty()) {
    motion.right = options.translation[0];
    motion.down = options.translation[1];
  }
  return motion;
}

/// Passes the images to `take` in batches: [N, C, H, W] and the index of the first one.
void generate_all(const ImageSampler& sampler, const SampleSpec& spec,
                  const std::function<void(const at::Tensor&, std::size_t)>& take) {
  constexpr std::size_t kImagesAtOnce = 32;
  report::ProgressBar bar("images", static_cast<std::int64_t>(spec.seeds.size()));
  for (std::size_t done = 0; done < spec.seeds.size(); done += kImagesAtOnce) {
    const auto end = std::min(done + kImagesAtOnce, spec.seeds.size());
    SampleSpec some{{spec.seeds.begin() + done, spec.seeds.begin() + end}, {}};
    if (!spec.labels.empty())
      some.labels.assign(spec.labels.begin() + done, spec.labels.begin() + end);
    take(sampler.sample(some), done);
    bar.update(static_cast<std::int64_t>(end));
  }
}

std::string file_name(const SampleSpec& spec, std::size_t place) {
  const std::string name = fmt::format("seed-{:06}", spec.seeds[place]);
  if (spec.labels.empty()) return name + ".png";
  return fmt::format("{}-label-{}.png", name, spec.labels[place]);
}

void write_files(const ImageSampler& sampler, const SampleSpec& spec,
                 const std::filesystem::path& folder) {
  generate_all(sampler, spec, [&](const at::Tensor& images, std::size_t first) {
    for (std::int64_t i = 0; i < images.size(0); ++i) {
      report::write_image_grid(images.narrow(0, i, 1), {.columns = 1},
                               folder / file_name(spec, first + static_cast<std::size_t>(i)));
    }
  });
}

void write_grid(const ImageSampler& sampler, const SampleSpec& spec, report::GridLayout layout,
                const std::filesystem::path& file) {
  std::vector<at::Tensor> parts;
  generate_all(sampler, spec,
               [&](const at::Tensor& images, std::size_t) { parts.push_back(images); });
  report::write_image_grid(at::cat(parts), layout, file);
}

/// Returns the label that each cell of a walk shows. Throws UsageError.
std::vector<std::int64_t> labels_of_cells(const GenerateOptions& options,
                                          const ImageSampler& sampler) {
  if (sampler.has_labels()) return sampler.labels(options.labels);
  throw UsageError(
      "--grid: with --walk it has a cell for each label, but the model of this run is "
      "unconditional; leave the option out: " +
      options.grid);
}

/// A walk by one image at a time; by a grid, all labels walk together.
Walk walk_of(const GenerateOptions& options, const ImageSampler& sampler, const SampleSpec& spec) {
  Walk walk;
  walk.frames_per_step = options.walk_frames;
  walk.motion = motion_of(options);
  if (options.grid.empty()) {
    walk.cells = {spec};
  } else {
    for (const std::int64_t label : labels_of_cells(options, sampler))
      walk.cells.push_back({spec.seeds, std::vector(spec.seeds.size(), label)});
  }
  walk.layout = layout_of(options, walk.cells.size());
  return walk;
}

/// Writes the requested images; returns where.
std::filesystem::path write_images(const GenerateOptions& options, const ImageSampler& sampler) {
  const auto specify = [&](const char* name, const std::string& seeds) {
    return sampler.specify(parse_numbers(name, seeds), options.labels);
  };
  if (options.mix_rows) {
    write_style_mixing(sampler,
                       {.rows = specify("--mix-rows", *options.mix_rows),
                        .columns = specify("--mix-columns", options.mix_columns),
                        .layers = options.mix_layers,
                        .scale = options.scale},
                       options.out);
    return options.out;
  }
  const SampleSpec spec = specify("--seeds", options.seeds);
  if (options.walk_frames > 0) {
    write_walk(sampler, walk_of(options, sampler, spec), options.out);
    return options.out;
  }
  if (options.out.empty()) {
    write_files(sampler, spec, options.out_dir);
    return options.out_dir;
  }
  write_grid(sampler, spec, layout_of(options, spec.seeds.size()), options.out);
  return options.out;
}

/// Throws UsageError if the cells of a walk, which show a label each, are to draw labels.
void require_labels_of_cells(const GenerateOptions& options) {
  if (options.walk_frames == 0 || options.grid.empty() || options.labels != kAsInData) return;
  throw UsageError(
      "--labels data: with --walk and --grid each cell shows one label; list labels, such as "
      "--labels 0-9, or leave the option out for all");
}

/// Checks combinations of options.
void require_possible(const GenerateOptions& options) {
  require_labels_of_cells(options);
  if (options.out.empty() == options.out_dir.empty()) {
    throw UsageError("give --out FILE for a grid, or --out-dir DIR for an image per seed");
  }
  if (options.out.empty()) return;
  const auto extension = options.out.extension();
  if (options.walk_frames == 0 && extension != ".png") {
    throw UsageError("--out: a grid is written as .png: " + options.out.string());
  }
  constexpr std::array kVideos = {".webp", ".mp4", ".y4m"};
  if (options.walk_frames > 0 && std::ranges::find(kVideos, extension) == kVideos.end()) {
    throw UsageError("--out: a walk is written as .webp, .mp4, or uncompressed as .y4m: " +
                     options.out.string());
  }
}

ExitCode generate(const GenerateOptions& options) {
  require_possible(options);
  const auto device = open_device(options.device);
  const auto trained = load_generator(options.generator);
  trained.generator->to(device);
  const ImageSampler sampler(trained, wanted_truncation(options.sampling));
  if (const auto motion = motion_of(options); !motion.is_none()) sampler.move_images(motion);
  if (options.walk_frames > 0 && sampler.latent_threshold()) {
    throw UsageError("--truncation: a walk through latents does not truncate them");
  }
  files::prepare_to_write(options.out.empty() ? options.out_dir / "" : options.out);
  take_statistics(options.sampling, trained, sampler.latent_threshold());
  const auto written = write_images(options, sampler);
  log::info("Wrote images", {{"checkpoint", trained.checkpoint}, {"to", written}});
  return ExitCode::kOk;
}

void add_motion(CLI::App& verb, GenerateOptions& options) {
  verb.add_option("--rotate", options.rotation,
                  "turn all images counterclockwise by this many degrees (stylegan3); with --walk, "
                  "by 0 at its start and evenly more from frame to frame")
      ->check(finite_number);
  verb.add_option("--translate", options.translation,
                  "then move them: RIGHT,DOWN, in sides (the shorter) of an image, such as "
                  "0.1,-0.2 (stylegan3); with --walk, there and back")
      ->delimiter(',')
      ->expected(2)
      ->check(finite_number);
}

/// Adds the options of a grid of mixed styles; returns the one that turns it on.
CLI::Option* add_mixing(CLI::App& verb, GenerateOptions& options) {
  auto* rows =
      verb.add_option("--mix-rows", options.mix_rows, "seeds of the rows of a style mixing grid");
  auto* columns = verb.add_option("--mix-columns", options.mix_columns,
                                  "seeds of the columns of a style mixing grid")
                      ->needs(rows);
  verb.add_option("--mix-layers", options.mix_layers,
                  "layers with the column's style; default: 0-6, without the last layer of a small "
                  "model")
      ->needs(rows);
  return rows->needs(columns);
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action, {"generate", "Generate images with a trained generator", kGenerateExample},
      generate);
  add_generator_options(verb, options.generator);
  add_device_option(verb, options.device);
  auto* seeds = verb.add_option("--seeds", options.seeds, "numbers and ranges; default 0-63");
  verb.add_option(
      "--labels,--label", options.labels,
      "labels of a conditional model by number (digits are always a number) or name, or "
      "`data` to draw them from p(y); default: all");
  auto* out = verb.add_option(
      "--out", options.out,
      "PNG file with a grid of all images, or the video of --walk (.webp, .mp4 or .y4m)");
  auto* out_dir = verb.add_option("--out-dir", options.out_dir, "folder for one PNG file per seed");
  auto* grid = verb.add_option("--grid", options.grid,
                               "ROWSxCOLUMNS of --out; default: nearly square. With --walk, each "
                               "cell shows one of --labels, all at the same latent")
                   ->excludes(out_dir);
  verb.add_option("--scale", options.scale, "enlarge the images of --out by this factor")
      ->check(CLI::Range(1, 64))
      ->needs(out);
  add_sampling_options(verb, options.sampling);
  add_motion(verb, options);
  auto* walk =
      verb.add_option(
              "--walk", options.walk_frames,
              "write a video through all seeds and back, with this many frames between two seeds")
          ->check(CLI::Range(1, 100'000))
          ->needs(out);
  add_mixing(verb, options)->needs(out)->excludes(seeds)->excludes(grid)->excludes(walk);
}

}  // namespace ganscale::cli
