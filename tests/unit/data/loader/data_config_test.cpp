#include "data/loader/data_config.h"

#include "config/node.h"
#include "data/storage/storage.h"
#include "support/expect_error.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

DataConfig parse(const std::string& yaml) {
  return parse_data(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(DataConfig, ReadsEveryKey) {
  const auto c = parse(
      "path: /data/faces\nlabels: required\nmirror: true\nshuffle: false\nfit: pad\n"
      "channels: gray\nbackground: [1, 2, 3]\nreader_threads: 5\n"
      "shard: fixed\nread_attempts: 3\ncache: {folder: /local, limit: 2GiB}\n"
      "prefetch: {batches: 7, memory_limit: 64MiB, congestion_aware: false, thread_limit: 50}\n");
  EXPECT_EQ(c.path, "/data/faces");
  EXPECT_EQ(c.labels, Labels::kRequired);
  EXPECT_TRUE(c.mirror);
  EXPECT_FALSE(c.shuffle);
  EXPECT_EQ(c.fit, Fit::kPad);
  EXPECT_EQ(c.channels, Channels::kGray);
  EXPECT_EQ(c.background, (std::array<std::uint8_t, 3>{1, 2, 3}));
  EXPECT_EQ(c.prefetch.reader_threads, 5);
  EXPECT_EQ(c.prefetch.batches, 7);
  EXPECT_EQ(c.prefetch.memory_limit_bytes, 64 << 20);
  EXPECT_FALSE(c.prefetch.congestion_aware);
  EXPECT_EQ(c.prefetch.thread_limit, 50);
  EXPECT_EQ(c.shard, Sharding::kFixed);
  EXPECT_EQ(c.read_attempts, 3);
  EXPECT_EQ(c.cache.folder, "/local");
  EXPECT_EQ(c.cache.limit_bytes, std::int64_t{2} << 30);
}

TEST(DataConfig, LeavesTheThreadsOpenByDefault) {
  EXPECT_EQ(parse("path: a\n").prefetch.reader_threads, 0);
  EXPECT_EQ(parse("reader_threads: auto\n").prefetch.reader_threads, 0);
  EXPECT_EQ(parse("path: a\n").prefetch.thread_limit, 0);
}

TEST(DataConfig, RefusesCredentialsInThePath) {
  expect_error(ExitCode::kConfig, "data.path has credentials in it",
               [] { parse("path: s3://key:secret@images/x.zip\n"); });
}

TEST(DataConfig, NamesTheLineOfAnImpossibleValue) {
  expect_error(ExitCode::kConfig, "run.yaml:2: reader_threads: expected auto or a number from 1",
               [] { parse("path: a\nreader_threads: many\n"); });
  for (const char* text : {"0", "1025"}) {
    expect_error(ExitCode::kConfig,
                 std::string("expected auto or a number from 1 to 1024: ") + text,
                 [&] { parse("reader_threads: " + std::string(text) + "\n"); });
  }
  expect_error(ExitCode::kConfig, "expected a number from 0 to 255: 256",
               [] { parse("background: [0, 256, 0]\n"); });
  expect_error(ExitCode::kConfig, "expected three numbers", [] { parse("background: [0]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: prefetch.batches: expected at least 1: 0",
               [] { parse("prefetch: {batches: 0}\n"); });
  expect_error(ExitCode::kConfig, "unknown key: mirrored", [] { parse("mirrored: true\n"); });
  expect_error(ExitCode::kConfig, "unknown key: prefetch.batch",
               [] { parse("prefetch: {batch: 2}\n"); });
}

TEST(DataConfig, RefusesFewerThreadsDuringCongestionThanOtherwise) {
  expect_error(ExitCode::kConfig,
               "run.yaml:2: prefetch.thread_limit: expected at least data.reader_threads, 8: 4",
               [] { parse("reader_threads: 8\nprefetch: {thread_limit: 4}\n"); });
}

TEST(DataConfig, RefusesACacheOfRecordsThatChangeWithTheEpoch) {
  expect_error(ExitCode::kConfig, "run.yaml:1: cache.folder: needs data.shard: fixed",
               [] { parse("cache: {folder: /local}\n"); });
}

TEST(DataConfig, RefusesToReadNothing) {
  expect_error(ExitCode::kConfig, "run.yaml:1: read_attempts: expected at least 1: 0",
               [] { parse("read_attempts: 0\n"); });
}

TEST(DecodePolicy, KeepsTheChannelsOfTheFirstRecord) {
  const FakeSource gray(3);
  const auto policy = decode_policy(DataConfig{}, gray, 64);
  EXPECT_EQ(policy.channels, 1);
  EXPECT_FALSE(policy.convert_colors);
  EXPECT_EQ(policy.resolution, 64);
}

/// Images with this number of channels.
class SourceOfChannels : public FakeSource {
 public:
  explicit SourceOfChannels(int channels) : FakeSource(3), channels_(channels) {}

  void read(std::int64_t index, Record& record) const override {
    FakeSource::read(index, record);
    record.buffer.resize(4 * static_cast<std::size_t>(channels_));
    record.bytes = record.buffer;
    record.channels = channels_;
  }

 private:
  int channels_;
};

TEST(DecodePolicy, DoesWithoutTheTransparencyOfTheFirstRecord) {
  for (const auto& [of_record, kept] : {std::pair(1, 1), {2, 1}, {3, 3}, {4, 3}}) {
    EXPECT_EQ(decode_policy(DataConfig{}, SourceOfChannels(of_record), 64).channels, kept)
        << of_record;
  }
}

TEST(DecodePolicy, PassesOverDamagedRecordsIfSomeMayBe) {
  FakeSource gray(3);
  gray.unreadable = {0, 1};
  EXPECT_EQ(decode_policy(DataConfig{}, gray, 64, 2).channels, 1);
  EXPECT_EQ(decode_policy(DataConfig{}, gray, 64, 100).channels, 1);
  for (const std::int64_t most_damaged : {0, 1}) {
    expect_error(ExitCode::kData, "checksum differs: fake, record " + std::to_string(most_damaged),
                 [&] { decode_policy(DataConfig{}, gray, 64, most_damaged); });
  }
}

TEST(DecodePolicy, TakesNoFailureOfTheStorageForDamage) {
  FakeSource gray(3);
  gray.on_read = [](std::int64_t index) {
    if (index == 0) throw StorageError("cannot read (Permission denied)");
  };
  expect_error(ExitCode::kData, "cannot read (Permission denied)",
               [&] { decode_policy(DataConfig{}, gray, 64, 2); });
}

TEST(DecodePolicy, ConvertsToTheColorsThatTheConfigurationNames) {
  const FakeSource gray(3);
  DataConfig config;
  config.channels = Channels::kRgb;
  EXPECT_EQ(decode_policy(config, gray, 64).channels, 3);
  EXPECT_TRUE(decode_policy(config, gray, 64).convert_colors);
}

TEST(UsedLabelCount, FollowsTheConfiguration) {
  const FakeSource labeled(20, 4);
  const FakeSource plain(20);
  DataConfig config;
  config.path = "faces";
  EXPECT_EQ(used_label_count(config, labeled), 4);
  EXPECT_EQ(used_label_count(config, plain), 0);
  config.labels = Labels::kIgnore;
  EXPECT_EQ(used_label_count(config, labeled), 0);
  config.labels = Labels::kRequired;
  EXPECT_EQ(used_label_count(config, labeled), 4);
  expect_error(ExitCode::kData, "data.labels is required, but the dataset has none: faces",
               [&] { used_label_count(config, plain); });
}

}  // namespace
}  // namespace ganscale::data
