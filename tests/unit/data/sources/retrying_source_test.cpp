#include "data/sources/retrying_source.h"

#include <vector>

#include "data/formats/file_bytes.h"
#include "support/expect_error.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

constexpr RetryPolicy kRetryPolicy{
    .attempts = 4, .first_pause_seconds = 1, .longest_pause_seconds = 3};

/// A source whose first reads fail, and what the reader then did.
struct Failing {
  explicit Failing(int failures) {
    auto source = std::make_unique<FakeSource>(10);
    source->unreadable = {7};
    source->on_read = [this, failures](std::int64_t) {
      if (++reads <= failures) throw TransientReadError("cannot read (Input/output error): file");
    };
    retrying = std::make_unique<RetryingSource>(
        std::move(source), kRetryPolicy, [this](double seconds) { pauses.push_back(seconds); });
  }

  int reads = 0;
  std::vector<double> pauses;
  std::unique_ptr<RetryingSource> retrying;
  Record record;
};

TEST(RetryPause, IsBetweenHalfOfItAndAllAndDoublesUpToTheLongest) {
  for (int attempt = 1; attempt < 8; ++attempt) {
    const double whole = attempt == 1 ? 1 : attempt == 2 ? 2 : 3;
    const double pause = retry_pause_seconds(kRetryPolicy, 5, attempt);
    EXPECT_GE(pause, whole / 2);
    EXPECT_LE(pause, whole);
  }
}

TEST(RetryPause, DependsOnTheSeedAlone) {
  RetryPolicy other = kRetryPolicy;
  other.seed = 1;
  EXPECT_EQ(retry_pause_seconds(kRetryPolicy, 5, 1), retry_pause_seconds(kRetryPolicy, 5, 1));
  EXPECT_NE(retry_pause_seconds(kRetryPolicy, 5, 1), retry_pause_seconds(other, 5, 1));
}

TEST(RetryingSource, RepeatsAReadAfterATransientError) {
  Failing failing(3);
  failing.retrying->read(5, failing.record);
  EXPECT_EQ(failing.record.bytes[0], 5);
  EXPECT_EQ(failing.reads, 4);
  EXPECT_EQ(failing.pauses.size(), 3);
  EXPECT_EQ(failing.retrying->counts().repeated_reads, 3);
}

TEST(RetryingSource, GivesUpAfterItsAttemptsAndNamesTheRecord) {
  Failing failing(100);
  expect_error(ExitCode::kData,
               "read failed 4 times: cannot read (Input/output error): file: fake, record 5",
               [&] { failing.retrying->read(5, failing.record); });
  EXPECT_EQ(failing.reads, 4);
  EXPECT_EQ(failing.pauses.size(), 3);
}

TEST(RetryingSource, DoesNotRepeatAPermanentError) {
  Failing failing(0);
  expect_error(ExitCode::kData, "checksum differs: fake, record 7",
               [&] { failing.retrying->read(7, failing.record); });
  EXPECT_EQ(failing.reads, 1);
  EXPECT_EQ(failing.retrying->counts().repeated_reads, 0);
}

TEST(RetryingSource, KeepsTheTypeOfAFailureOfTheStorage) {
  auto source = std::make_unique<FakeSource>(10);
  source->on_read = [](std::int64_t) { throw StorageError("cannot read (Permission denied)"); };
  const RetryingSource retrying(std::move(source), kRetryPolicy, [](double) {});
  Record record;
  EXPECT_THROW(retrying.read(3, record), StorageError);
  expect_error(ExitCode::kData, "cannot read (Permission denied): fake, record 3",
               [&] { retrying.read(3, record); });
  EXPECT_EQ(retrying.counts().repeated_reads, 0);
}

TEST(RetryingSource, NamesTheRecordIfTheErrorDoesNot) {
  auto source = std::make_unique<FakeSource>(10);
  source->on_read = [](std::int64_t) { throw DataError("file is too short: faces, offset 12"); };
  const RetryingSource retrying(std::move(source), kRetryPolicy, [](double) {});
  Record record;
  expect_error(ExitCode::kData, "file is too short: faces, offset 12: fake, record 3",
               [&] { retrying.read(3, record); });
}

TEST(RetryingSource, ForwardsTheRestOfItsSource) {
  const RetryingSource retrying(std::make_unique<FakeSource>(10, 3), kRetryPolicy, [](double) {});
  EXPECT_EQ(retrying.record_count(), 10);
  EXPECT_EQ(retrying.label_count(), 3);
  EXPECT_EQ(retrying.label(4), 1);
  EXPECT_EQ(retrying.describe(4), "fake, record 4");
  EXPECT_TRUE(retrying.label_names().empty());
}

}  // namespace
}  // namespace ganscale::data
