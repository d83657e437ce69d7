#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "data/loader/prefetcher.h"
#include "data/sources/cached_source.h"
#include "data/sources/open_source.h"

namespace ganscale::data {
namespace {

struct Options {
  std::string path;
  int resolution = 32;
  int batch = 64;
  int epochs = 1;
  int reader_threads = 2;
  std::string cache;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Measures how many images per second the prefetcher delivers, decoded, over whole epochs "
      "after one that warms up. Prints one JSON object.");
  app.add_option("path", options.path, "dataset")->required();
  app.add_option("--resolution", options.resolution, "of its images");
  app.add_option("--batch", options.batch, "images a batch; what is left of an epoch is dropped");
  app.add_option("--epochs", options.epochs, "to measure");
  app.add_option("--reader-threads", options.reader_threads, "0: auto");
  app.add_option("--cache", options.cache, "folder that keeps what was read once, up to 4 GiB");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

/// Reads batches and returns the sum of their bytes, so that what was read can be compared.
std::int64_t read_batches(Prefetcher& prefetcher, std::int64_t batch_count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < batch_count; ++i) {
    const Batch batch = prefetcher.next();
    const auto* pixels = batch.images.data_ptr<std::uint8_t>();
    // A few bytes of each batch: the consumer must not be the bottleneck.
    const std::int64_t step = batch.images.numel() / batch.images.size(0);
    for (std::int64_t j = 0; j < batch.images.size(0); ++j) sum += pixels[j * step + step / 2];
  }
  return sum;
}

nlohmann::ordered_json measure(const Options& options) {
  constexpr std::int64_t kCacheBytes = std::int64_t{4} << 30;
  const auto opened = open_source(options.path, options.resolution);
  std::optional<CachedSource> cached;
  if (!options.cache.empty()) cached.emplace(*opened, options.cache, kCacheBytes);
  const Source* const source = cached ? &*cached : opened.get();
  DataConfig config;
  config.path = options.path;
  config.prefetch.reader_threads = options.reader_threads;
  config.prefetch.congestion_aware = options.reader_threads == 0;
  LoaderOptions loader_options;
  loader_options.share.batch_per_rank = options.batch;
  loader_options.label_count = used_label_count(config, *source);
  loader_options.prefetch = config.prefetch;
  Prefetcher prefetcher(*source, ShardPlan(source->record_count(), /*seed=*/1, /*shuffle=*/true),
                        decode_policy(config, *source, options.resolution), loader_options);
  const std::int64_t batches = source->record_count() / options.batch;
  const std::int64_t sum = read_batches(prefetcher, batches);
  const auto start = std::chrono::steady_clock::now();
  read_batches(prefetcher, batches * options.epochs);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto images = static_cast<double>(batches * options.batch * options.epochs);
  return {{"images_per_second", images / elapsed.count()},
          {"records", source->record_count()},
          {"probe", sum},
          {"reader_threads", prefetcher.readings().reader_threads},
          {"depth", prefetcher.readings().depth}};
}

}  // namespace
}  // namespace ganscale::data

int main(int argc, char** argv) {
  try {
    const auto options = ganscale::data::parse(argc, argv);
    std::printf("%s\n", ganscale::data::measure(options).dump().c_str());
  } catch (const ganscale::Error& error) {
    std::fprintf(stderr, "bench_loader: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
