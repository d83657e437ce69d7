#include "data/loader/data_config.h"

#include <algorithm>
#include <vector>

#include "base/enum_names.h"
#include "base/error.h"
#include "config/units.h"
#include "data/sources/read_image.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

constexpr EnumNames<Labels, 3> kLabels{
    {{Labels::kAuto, "auto"}, {Labels::kRequired, "required"}, {Labels::kIgnore, "ignore"}}};
constexpr EnumNames<Fit, 3> kFits{
    {{Fit::kRefuse, "refuse"}, {Fit::kResize, "resize"}, {Fit::kPad, "pad"}}};
constexpr EnumNames<Channels, 3> kChannels{
    {{Channels::kKeep, "keep"}, {Channels::kGray, "gray"}, {Channels::kRgb, "rgb"}}};
constexpr EnumNames<Sharding, 2> kShardings{
    {{Sharding::kShuffled, "shuffled"}, {Sharding::kFixed, "fixed"}}};

std::array<std::uint8_t, 3> parse_background(config::Section& in) {
  const auto levels = in.get("background", std::vector<std::int64_t>{255, 255, 255},
                             "background color of transparent images: red, green, blue, 0 to 255");
  in.require(levels.size() == 3, "background", "expected three numbers");
  std::array<std::uint8_t, 3> background{};
  for (std::size_t i = 0; i < 3; ++i) {
    in.require(levels[i] >= 0 && levels[i] <= 255, "background",
               "expected a number from 0 to 255: " + std::to_string(levels[i]));
    background[i] = static_cast<std::uint8_t>(levels[i]);
  }
  return background;
}

/// Returns 0 for auto.
int parse_threads(config::Section& in, const char* key, const char* documentation) {
  const std::string text = in.get(key, "auto", documentation);
  if (text == "auto") return 0;
  const auto number = config::parse_integer(text);
  in.require(
      number && *number >= 1 && *number <= kMostReaderThreads, key,
      "expected auto or a number from 1 to " + std::to_string(kMostReaderThreads) + ": " + text);
  return static_cast<int>(*number);
}

void parse_prefetch(config::Section in, PrefetchConfig& c) {
  c.batches = in.get("batches", c.batches, "minimum number of prefetched batches");
  in.require(c.batches >= 1, "batches", "expected at least 1: " + std::to_string(c.batches));
  c.memory_limit_bytes = in.get_bytes("memory_limit", c.memory_limit_bytes,
                                      "memory limit of a rank's prefetched batches");
  c.congestion_aware =
      in.get("congestion_aware", c.congestion_aware,
             "add threads and batches while storage is slow, and release them afterward");
  c.thread_limit = parse_threads(in, "thread_limit",
                                 "maximum number of reader threads while storage is slow: auto (20 "
                                 "times as many as otherwise, at most 256) or a number");
  in.require(c.thread_limit == 0 || c.thread_limit >= c.reader_threads, "thread_limit",
             "expected at least data.reader_threads, " + std::to_string(c.reader_threads) + ": " +
                 std::to_string(c.thread_limit));
  in.reject_unread_keys();
}

void parse_cache(config::Section in, Sharding shard, CacheConfig& c) {
  c.folder = in.get("folder", c.folder,
                    "folder on a local disk of the node where a rank caches its records while it "
                    "runs; empty: no cache");
  in.require(c.folder.empty() || shard == Sharding::kFixed, "folder",
             "needs data.shard: fixed, so that a rank reads the same records in each epoch");
  c.limit_bytes = in.get_bytes("limit", c.limit_bytes, "size limit of a rank's cached records");
  in.reject_unread_keys();
}

/// Returns the shape of the first image that is not damaged; throws the DataError of the
/// last one that may be.
Image first_whole_shape(const Source& source, std::int64_t most_damaged) {
  const auto last = std::clamp<std::int64_t>(source.record_count() - 1, 0, most_damaged);
  Record record;
  for (std::int64_t i = 0; i < last; ++i) {
    try {
      return read_shape(source, i, record);
    } catch (const StorageError&) {
      throw;
    } catch (const DataError&) {  // the conversion counts it
    }
  }
  return read_shape(source, last, record);
}

}  // namespace

DataConfig parse_data(config::Section in) {
  DataConfig c;
  c.path = in.get("path", c.path, "file or folder of the dataset, or s3://BUCKET/KEY");
  require_no_credentials(c.path, "data.path");  // before a log or the run folder has it
  c.labels = in.get_choice("labels", c.labels, kLabels,
                           "auto: use labels if there are any; required: refuse a dataset without "
                           "labels; ignore: do not use them");
  c.mirror = in.get("mirror", c.mirror, "flip half of the images horizontally, at random");
  c.shuffle = in.get("shuffle", c.shuffle, "shuffle each epoch");
  c.shard = in.get_choice(
      "shard", c.shard, kShardings,
      "shuffled: the records are redistributed over the ranks in each epoch; fixed: a rank reads "
      "every n-th record for the whole run, and the order depends on the number of ranks");
  c.read_attempts = in.get(
      "read_attempts", c.read_attempts,
      "maximum number of attempts of a read that fails with a transient error (network, server)");
  in.require(c.read_attempts >= 1, "read_attempts",
             "expected at least 1: " + std::to_string(c.read_attempts));
  c.fit = in.get_choice("fit", c.fit, kFits, "what to do with images of another size");
  c.channels = in.get_choice("channels", c.channels, kChannels,
                             "keep: all images must have the same channels; gray, rgb: convert");
  c.background = parse_background(in);
  c.prefetch.reader_threads =
      parse_threads(in, "reader_threads",
                    "threads that read and decode while storage is not slow: auto or a number");
  parse_prefetch(in.section("prefetch"), c.prefetch);
  parse_cache(in.section("cache"), c.shard, c.cache);
  in.reject_unread_keys();
  return c;
}

DecodePolicy decode_policy(const DataConfig& config, const Source& source,
                           const Resolution& resolution, std::int64_t most_damaged) {
  DecodePolicy policy;
  policy.resolution = resolution;
  policy.fit = config.fit;
  policy.background = config.background;
  policy.convert_colors = config.channels != Channels::kKeep;
  policy.channels = config.channels == Channels::kGray ? 1 : 3;
  if (config.channels == Channels::kKeep) {
    policy.channels = first_whole_shape(source, most_damaged).channels <= 2 ? 1 : 3;
  }
  return policy;
}

std::int64_t used_label_count(const DataConfig& config, const Source& source) {
  if (config.labels == Labels::kIgnore) return 0;
  if (config.labels == Labels::kRequired && source.label_count() == 0) {
    throw DataError("data.labels is required, but the dataset has none: " + config.path);
  }
  return source.label_count();
}

}  // namespace ganscale::data
