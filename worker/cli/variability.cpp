#include "data/tools/variability.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/log.h"
#include "base/terminal.h"
#include "cli/add_verb.h"
#include "cli/options/resolution_option.h"
#include "cli/verbs.h"
#include "comm/open_world.h"
#include "data/loader/data_config.h"
#include "data/sources/retrying_source.h"
#include "device/cpu_quota.h"
#include "report/log/progress.h"

namespace ganscale::cli {
namespace {

struct VariabilityOptions {
  std::filesystem::path path;
  int resolution = 0;
  int threads = 0;
};

constexpr VerbText kVariabilityText{
    "variability", "Test whether classes differ: analysis of variance of each channel's pixels",
    "\nExamples:\n"
    "  ganscale data variability cifar10.tar\n"
    "  mpirun -n 8 ganscale data variability faces.tfrecords"};

void print_counts(const data::Variability& result, const data::Source& source) {
  const auto names = source.label_names();
  std::printf("classes   %zu\n", result.images_of_label.size());
  for (std::size_t i = 0; i < result.images_of_label.size(); ++i) {
    std::printf("  %4zu  %10lld  %s\n", i, static_cast<long long>(result.images_of_label[i]),
                i < names.size() ? terminal::printable(names[i]).c_str() : "");
  }
}

void print_channels(const data::Variability& result) {
  std::printf("channel             F   degrees of freedom         log10 p    eta^2\n");
  for (std::size_t i = 0; i < result.channels.size(); ++i) {
    const auto& channel = result.channels[i];
    std::printf("  %-5zu  %14.6f   %6lld %12lld %14.2f   %6.4f\n", i, channel.f,
                static_cast<long long>(channel.between_degrees),
                static_cast<long long>(channel.within_degrees), channel.log10_p,
                channel.eta_squared);
  }
}

/// Inception scores of Lupo Pasini et al., next to our analysis of their data.
constexpr const char* kPaper =
    "For comparison, the inception scores of Lupo Pasini et al. with one conditional generator "
    "and\n"
    "with a generator per label, and eta^2 of their training data:\n"
    "  MNIST      2.62  2.71   0.007\n"
    "  CIFAR-10   5.69  6.43   0.005, 0.020, 0.075\n"
    "  CIFAR-100  5.62  6.61   not measured\n"
    "  ImageNet   8.91 11.61   not measured\n";

const char* advice(data::EffectSize size) {
  switch (size) {
    case data::EffectSize::kNegligible:
      return "a negligible effect. One generator for all labels is enough by this measure.";
    case data::EffectSize::kSmall:
      return "a small effect. A generator per label (scheme per_label) may help; compare both.";
    case data::EffectSize::kMedium:
      return "a medium effect. A generator per label (scheme per_label) is justified.";
    case data::EffectSize::kLarge: break;
  }
  return "a large effect. A generator per label (scheme per_label) is justified.";
}

/// Explains what the numbers mean for training a network per label.
void print_advice(const data::Variability& result) {
  if (std::ranges::all_of(result.channels, &data::ChannelVariability::is_constant)) {
    std::printf("All pixels of all images are alike: there is no variance to compare.\n");
    return;
  }
  const double most =
      std::ranges::max(result.channels, {}, &data::ChannelVariability::eta_squared).eta_squared;
  std::printf("The class explains at most %.1f%% of a channel's variance (eta^2): %s\n", 100 * most,
              advice(data::effect_size(most)));
  std::printf(
      "F and p treat each pixel as an independent sample: with this many, classes nearly always\n"
      "differ significantly.\n%s",
      kPaper);
}

ExitCode variability(const VariabilityOptions& options) {
  const auto world = comm::open_world({});
  comm::Group& group = *world.group;
  log::set_rank(group.rank());
  const auto source = data::retrying(open_in_resolution(options.path, options.resolution));
  const int share = std::max(1, device::container_cores() / world.rank_info.local_size);
  const int threads =
      options.threads > 0 ? options.threads : std::min(share, device::usable_cores());
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
  const auto [verb, options] = add_verb(data, action, kVariabilityText, variability);
  verb.add_option("path", options.path, "a dataset with labels")->required();
  add_resolution_option(verb, options.resolution, "which resolution of a multi-resolution dataset");
  verb.add_option("--threads", options.threads, "number of decoding threads per rank")
      ->check(CLI::Range(1, data::kMostReaderThreads));
}

}  // namespace ganscale::cli
