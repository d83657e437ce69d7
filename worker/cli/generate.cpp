#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "cli/number_list.h"
#include "cli/verbs.h"
#include "config/units.h"
#include "kernels/counter_random.h"
#include "report/image_grid.h"
#include "report/progress.h"
#include "training/trained_generator.h"

namespace ganscale::cli {
namespace {

constexpr std::int64_t kImagesAtOnce = 32;

constexpr auto kExample =
    "\nExamples:\n"
    "  ganscale generate --run runs/r1 --seeds 0-63 --grid 8x8 --out grid.png\n"
    "  ganscale generate --run runs/r1 --seeds 0-9 --labels 3 --out-dir threes/\n"
    "  ganscale generate --checkpoint runs/r1/checkpoints/kimg-000200 --seeds 7 --out seven.png\n\n"
    "Seed i is the latent of image i in the run's sample grids: the same seed gives the same\n"
    "picture at every checkpoint's own skill. --labels are dealt to the seeds in turn.";

struct GenerateOptions {
  std::filesystem::path run;
  std::filesystem::path checkpoint;
  std::string seeds = "0-63";
  std::string labels;
  std::string grid;
  std::filesystem::path out;
  std::filesystem::path out_dir;
  std::optional<double> truncation;
};

training::TrainedGenerator load(const GenerateOptions& options) {
  if (options.run.empty() == options.checkpoint.empty()) {
    throw UsageError("give --run RUN, or --checkpoint DIR for one that is not the newest");
  }
  auto trained = options.run.empty() ? training::load_generator(options.checkpoint)
                                     : training::load_newest_generator(options.run);
  log::info("Loaded the generator", {{"checkpoint", trained.checkpoint}});
  return trained;
}

/// Columns of a grid "ROWSxCOLUMNS" with room for `count` pictures; nearest to a square if not
/// given.
report::GridLayout grid_layout(const std::string& text, std::int64_t count) {
  if (text.empty()) return report::square_layout(count);
  const auto x = std::min(text.find('x'), text.size() - 1);
  const auto rows = config::parse_integer(text.substr(0, x));
  const auto columns = config::parse_integer(text.substr(x + 1));
  if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > 1000 || *columns > 1000) {
    throw UsageError("--grid: expected ROWSxCOLUMNS, such as 8x8: " + text);
  }
  if (*rows * *columns < count) {
    throw UsageError("--grid: no room for all seeds: " + text + " for " + std::to_string(count));
  }
  return {.columns = static_cast<int>(*columns)};
}

/// Returns the label of each seed; none for an unconditional generator.
std::vector<std::int64_t> deal_labels(const std::string& text, const models::Generator& generator,
                                      std::size_t seed_count) {
  const auto label_count = generator.label_count();
  if (label_count == 0) {
    if (!text.empty()) throw UsageError("--labels: the model of this run takes no labels: " + text);
    return {};
  }
  const auto last = std::to_string(label_count - 1);
  const auto choice = parse_numbers("--labels", text.empty() ? "0-" + last : text);
  for (const auto label : choice) {
    if (label < label_count) continue;
    throw UsageError("--labels: the labels of this run are 0-" + last + ": " +
                     std::to_string(label));
  }
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < seed_count; ++i) labels.push_back(choice[i % choice.size()]);
  return labels;
}

/// Makes the pictures of consecutive seeds; labels: their labels, or empty. Returns [N, C, H, W].
at::Tensor generate_span(models::Generator& generator, std::uint64_t run_seed, Span seeds,
                         at::ArrayRef<std::int64_t> labels) {
  const at::NoGradGuard no_grad;
  const auto dtype = generator.parameters().front().scalar_type();
  const ImageRandom images{run_seed, seeds.first, 1};
  const auto z = kernels::random_normal(images, Stream::kSamples, /*site=*/0,
                                        {seeds.count, generator.z_dim()}, at::TensorOptions(dtype));
  kernels::RandomDraws noise(images, Stream::kSamples);
  return generator.forward(z, labels.empty() ? at::Tensor() : at::tensor(labels), noise);
}

/// What to make: labels are empty, or one a seed.
struct Order {
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> labels;
};

/// Hands the pictures to `take`, some at a time: [N, C, H, W], and the place of the first in the
/// order.
void generate_all(const training::TrainedGenerator& trained, const Order& order,
                  const std::function<void(const at::Tensor&, std::size_t)>& take) {
  report::ProgressBar bar("images", static_cast<std::int64_t>(order.seeds.size()));
  std::size_t done = 0;
  for (const Span& span : consecutive_spans(order.seeds, kImagesAtOnce)) {
    const auto count = static_cast<std::size_t>(span.count);
    const auto labels = order.labels.empty() ? at::ArrayRef<std::int64_t>()
                                             : at::ArrayRef(&order.labels[done], count);
    take(generate_span(*trained.generator, trained.config.training.seed, span, labels), done);
    done += count;
    bar.update(static_cast<std::int64_t>(done));
  }
}

std::string file_name(const Order& order, std::size_t place) {
  char name[64];
  std::snprintf(name, sizeof name, "seed-%06lld", static_cast<long long>(order.seeds[place]));
  if (order.labels.empty()) return std::string(name) + ".png";
  return std::string(name) + "-label-" + std::to_string(order.labels[place]) + ".png";
}

void write_files(const training::TrainedGenerator& trained, const Order& order,
                 const std::filesystem::path& folder) {
  generate_all(trained, order, [&](const at::Tensor& images, std::size_t first) {
    for (std::int64_t i = 0; i < images.size(0); ++i) {
      report::write_image_grid(images.narrow(0, i, 1), {.columns = 1},
                               folder / file_name(order, first + static_cast<std::size_t>(i)));
    }
  });
}

void write_grid(const training::TrainedGenerator& trained, const Order& order,
                report::GridLayout layout, const std::filesystem::path& file) {
  std::vector<at::Tensor> parts;
  generate_all(trained, order,
               [&](const at::Tensor& images, std::size_t) { parts.push_back(images); });
  report::write_image_grid(at::cat(parts), layout, file);
}

ExitCode generate(const GenerateOptions& options) {
  if (options.out.empty() == options.out_dir.empty()) {
    throw UsageError("give --out FILE for a grid, or --out-dir DIR for a picture a seed");
  }
  Order order{parse_numbers("--seeds", options.seeds), {}};
  const auto layout = grid_layout(options.grid, static_cast<std::int64_t>(order.seeds.size()));
  const auto trained = load(options);
  if (options.truncation) {
    throw UsageError("--truncation: this model has no truncation: " + trained.config.model.name);
  }
  order.labels = deal_labels(options.labels, *trained.generator, order.seeds.size());
  if (options.out.empty()) {
    write_files(trained, order, options.out_dir);
  } else {
    write_grid(trained, order, layout, options.out);
  }
  log::info("Wrote pictures", {{"to", options.out.empty() ? options.out_dir : options.out},
                               {"count", order.seeds.size()}});
  return ExitCode::kOk;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  auto* verb = app.add_subcommand("generate", "Make pictures with a trained generator");
  verb->footer(kExample);
  verb->add_option("--run", options->run, "folder of the run; its newest valid checkpoint");
  verb->add_option("--checkpoint", options->checkpoint, "folder of one checkpoint instead");
  verb->add_option("--seeds", options->seeds, "numbers and ranges; 0-63 if not given");
  verb->add_option("--labels,--label", options->labels,
                   "labels of a conditional model; all if not given");
  verb->add_option("--grid", options->grid,
                   "ROWSxCOLUMNS of --out; nearest to a square if not given");
  verb->add_option("--out", options->out, "PNG file of all pictures");
  verb->add_option("--out-dir", options->out_dir, "folder for a PNG file a seed");
  verb->add_option("--truncation", options->truncation, "psi of a style-based model");
  verb->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace ganscale::cli
