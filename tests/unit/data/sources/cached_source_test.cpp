#include "data/sources/cached_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

constexpr std::int64_t kCachedImageBytes = 4;  // of the fake source

class CachedSources : public testing::Test {
 protected:
  CachedSources() {
    source_.on_read = [this](std::int64_t) { ++reads_; };
  }

  std::vector<std::uint8_t> read(const Source& source, std::int64_t index) {
    Record record;
    source.read(index, record);
    EXPECT_EQ(record.encoding, Encoding::kRawChw);
    EXPECT_EQ(record.channels, 1);
    EXPECT_EQ(record.height, 2);
    EXPECT_EQ(record.width, 2);
    EXPECT_EQ(record.label, index % 3);
    return {record.bytes.begin(), record.bytes.end()};
  }

  const TemporaryFolder folder_;
  FakeSource source_{20, 3};
  std::atomic<int> reads_ = 0;
};

TEST_F(CachedSources, ReadEachRecordOnce) {
  const CachedSource cached(source_, folder_ / "cache", 1 << 20);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (std::uint8_t i = 0; i < 20; ++i) {
      EXPECT_EQ(read(cached, i),
                (std::vector<std::uint8_t>{i, 0, static_cast<std::uint8_t>(2 * i), 0}));
    }
  }
  EXPECT_EQ(reads_, 20);
  EXPECT_EQ(cached.counts().cached_reads, 40);
  EXPECT_EQ(cached.counts().cached_bytes, 20 * kCachedImageBytes);
}

TEST_F(CachedSources, KeepNoMoreThanTheirLimit) {
  const CachedSource cached(source_, folder_.path(), 7 * kCachedImageBytes + 1);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::int64_t i = 0; i < 20; ++i) read(cached, i);
  }
  EXPECT_EQ(reads_, 20 + 13);
  EXPECT_EQ(cached.counts().cached_bytes, 7 * kCachedImageBytes);
}

TEST_F(CachedSources, LeaveNoFile) {
  const CachedSource cached(source_, folder_ / "cache", 1 << 20);
  read(cached, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "cache"));
}

TEST_F(CachedSources, RemoveTheFileOfAKilledProcessAndNothingElse) {
  folder_.write("cache/records.0123456789abcdef.tmp", "");
  const auto other = folder_.write("cache/labels.0123456789abcdef.tmp", "");
  const CachedSource cached(source_, folder_ / "cache", 1 << 20);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache/records.0123456789abcdef.tmp"));
  EXPECT_TRUE(std::filesystem::exists(other));
}

/// Overwrites the first byte of a file of this process without a name in `folder`.
void damage_unnamed_file(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const auto target = std::filesystem::read_symlink(entry.path(), ignored);
    if (!target.string().starts_with((folder / "records.").string())) continue;
    const int file = std::stoi(entry.path().filename().string());
    ASSERT_EQ(::pwrite(file, "\xff", 1, 0), 1);
  }
}

TEST_F(CachedSources, ReadADamagedRecordFromTheSourceAgain) {
  const CachedSource cached(source_, folder_.path(), 1 << 20);
  read(cached, 3);
  read(cached, 4);
  damage_unnamed_file(folder_.path());
  EXPECT_EQ(read(cached, 3)[0], 3);
  EXPECT_EQ(read(cached, 4)[0], 4);
  EXPECT_EQ(reads_, 3);
  EXPECT_EQ(cached.counts().cached_reads, 1);
}

TEST_F(CachedSources, PassOnTheErrorsOfTheSource) {
  source_.unreadable = {5};
  const CachedSource cached(source_, folder_.path(), 1 << 20);
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_error(ExitCode::kData, "fake, record 5", [&] { read(cached, 5); });
  }
}

TEST_F(CachedSources, RefuseAFolderThatCannotBeWritten) {
  const auto file = folder_.write("file", "");
  expect_error(ExitCode::kConfig, "data.cache.folder cannot be written",
               [&] { CachedSource(source_, file / "cache", 1); });
}

TEST_F(CachedSources, ServeManyThreads) {
  const CachedSource cached(source_, folder_.path(), 1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 200; ++i) {
        const std::int64_t index = (7 * i + t) % 20;
        EXPECT_EQ(read(cached, index)[0], index);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(cached.counts().cached_reads + reads_, 800);
}

}  // namespace
}  // namespace ganscale::data
