#include "data/tools/variability.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/log.h"
#include "cli/verbs.h"
#include "comm/open_world.h"
#include "data/sources/open_source.h"
#include "report/progress.h"

namespace ganscale::cli {
namespace {

struct VariabilityOptions {
  std::filesystem::path path;
  int resolution = 0;
  int threads = 0;
};

constexpr double kSignificance = 0.05;

void print_counts(const data::Variability& result, const data::Source& source) {
  const auto names = source.label_names();
  std::printf("classes   %zu\n", result.images_of_label.size());
  for (std::size_t i = 0; i < result.images_of_label.size(); ++i) {
    std::printf("  %4zu  %10lld  %s\n", i, static_cast<long long>(result.images_of_label[i]),
                i < names.size() ? names[i].c_str() : "");
  }
}

void print_channels(const data::Variability& result) {
  std::printf("channel             F   degrees of freedom     log10 p   between classes\n");
  for (std::size_t i = 0; i < result.channels.size(); ++i) {
    const auto& channel = result.channels[i];
    std::printf("  %-5zu  %14.6f   %6lld %12lld %11.2f   %6.3f %% of the variance\n", i, channel.f,
                static_cast<long long>(channel.between_degrees),
                static_cast<long long>(channel.within_degrees), channel.log10_p,
                100 * channel.between_share);
  }
}

/// Explains what the numbers mean for training a network per label.
void print_advice(const data::Variability& result) {
  if (std::ranges::all_of(result.channels, &data::ChannelVariability::is_constant)) {
    std::printf("All pixels of all images are alike: there is no variance to compare.\n");
    return;
  }
  const auto differs = [](const data::ChannelVariability& channel) {
    return channel.log10_p < std::log10(kSignificance);
  };
  const auto count = std::ranges::count_if(result.channels, differs);
  if (count == 0) {
    std::printf(
        "The classes do not differ in any channel (p >= 0.05): one generator for all "
        "labels is enough by this test.\n");
    return;
  }
  std::printf(
      "The classes differ in %lld of %zu channels (p < 0.05): a generator per label "
      "(scheme per_label) is justified by this test.\n",
      static_cast<long long>(count), result.channels.size());
}

ExitCode variability(const VariabilityOptions& options) {
  const auto world = comm::open_world({});
  comm::Group& group = *world.group;
  log::set_rank(group.rank());
  const auto source = data::open_source(options.path, options.resolution);
  const int threads = options.threads > 0
                          ? options.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) /
                                            world.rank_info.local_size);
  at::Tensor sums;
  {
    report::ProgressBar bar("images", source->record_count() / group.size());
    sums = data::class_sums(*source, {group.rank(), group.size(), threads}, [&](std::int64_t done) {
      if (group.rank() == 0) bar.update(done);
    });
  }
  group.all_reduce_sum(sums);
  const auto result = data::variability(sums);
  if (group.rank() != 0) return ExitCode::kOk;
  std::printf("dataset  %s\n", options.path.c_str());
  print_counts(result, *source);
  print_channels(result);
  print_advice(result);
  return ExitCode::kOk;
}

}  // namespace

void add_data_variability(CLI::App& data, Action& action) {
  auto options = std::make_shared<VariabilityOptions>();
  auto* app = data.add_subcommand(
      "variability", "Test whether classes differ: analysis of variance of each channel's pixels");
  app->footer(
      "\nExamples:\n"
      "  ganscale data variability cifar10.tar\n"
      "  mpirun -n 8 ganscale data variability faces.tfrecords");
  app->add_option("path", options->path, "a dataset with labels")->required();
  app->add_option("--resolution", options->resolution,
                  "which resolution of a multi-resolution dataset");
  app->add_option("--threads", options->threads, "number of decoding threads per rank")
      ->check(CLI::PositiveNumber);
  app->callback([options, &action] { action = [options] { return variability(*options); }; });
}

}  // namespace ganscale::cli
