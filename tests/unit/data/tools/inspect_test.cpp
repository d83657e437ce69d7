#include "data/tools/inspect.h"

#include "data/sources/open_source.h"
#include "data/storage/storage.h"
#include "support/expect_error.h"
#include "support/shared_files.h"
#include "unit/data/fake_source.h"
#include "unit/data/images.h"

namespace ganscale::data {
namespace {

/// A dataset of which the storage fails to read the last of 6 records.
FakeSource source_on_failing_storage() {
  FakeSource source(6);
  source.on_read = [](std::int64_t index) {
    if (index == 5) throw StorageError("cannot read (Permission denied)");
  };
  return source;
}

TEST(Inspect, CountsLabelsAndShapes) {
  const TemporaryFolder folder;
  folder.write("cat/1.png", encode_png(flat_image(3, 4, 1)));
  folder.write("cat/2.jpg", jpeg_bytes(flat_image(1, 8, 1)));
  folder.write("cat/3.png", "no image");
  folder.write("dog/1.png", encode_png(flat_image(3, 4, 1)));
  const Inspection inspection = inspect(*open_source(folder.path()), 100);
  EXPECT_EQ(inspection.record_count, 4);
  EXPECT_EQ(inspection.sampled, 4);
  EXPECT_THAT(inspection.records_of_label, testing::ElementsAre(3, 1));
  EXPECT_THAT(inspection.kinds, testing::UnorderedElementsAre(testing::Pair("PNG 3x4x4", 2),
                                                              testing::Pair("JPEG 1x8x8", 1),
                                                              testing::Pair("damaged", 1)));
}

TEST(Inspect, ReadsASampleOnly) {
  const TemporaryFolder folder;
  for (int i = 0; i < 9; ++i) {
    folder.write(std::to_string(i) + ".png", encode_png(flat_image(1, 1, 1)));
  }
  const Inspection inspection = inspect(*open_source(folder.path()), 3);
  EXPECT_EQ(inspection.sampled, 3);
  EXPECT_EQ(inspection.kinds.at("PNG 1x1x1"), 3);
  EXPECT_TRUE(inspection.records_of_label.empty());
}

TEST(Inspect, CountsNoRecordAsDamagedBecauseTheStorageFails) {
  const FakeSource source = source_on_failing_storage();
  expect_error(ExitCode::kData, "cannot read (Permission denied)", [&] { inspect(source, 100); });
}

TEST(ContactSheet, LaysImagesInRows) {
  const TemporaryFolder folder;
  folder.write("1.png", encode_png(flat_image(1, 2, 10)));
  folder.write("2.png", encode_png(flat_image(3, 4, 20)));
  folder.write("3.png", "no image");
  const Image sheet = contact_sheet(*open_source(folder.path()), 2, 2, 2);
  EXPECT_EQ(sheet.height, 4);
  const auto at = [&](int y, int x) { return sheet.hwc[(y * 4 + x) * 3]; };
  EXPECT_EQ(at(0, 0), 10);
  EXPECT_EQ(at(1, 3), 20);
  EXPECT_EQ(at(2, 0), 128);
  EXPECT_EQ(at(3, 3), 128);
}

TEST(ContactSheet, LeavesNoCellGrayBecauseTheStorageFails) {
  const FakeSource source = source_on_failing_storage();
  expect_error(ExitCode::kData, "cannot read (Permission denied)",
               [&] { contact_sheet(source, 2, 3, 2); });
}

TEST(Verify, ListsEveryDamagedRecord) {
  const TemporaryFolder folder;
  const std::string png = encode_png(flat_image(3, 4, 1));
  folder.write("1.png", png);
  const auto cut = folder.write("2.png", png.substr(0, png.size() - 1));
  folder.write("3.png", png);
  const auto other = folder.write("4.png", "no image");
  std::int64_t done = 0;
  const auto damaged =
      verify(*open_source(folder.path()), 2, [&](std::int64_t now, std::int64_t) { done = now; });
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_THAT(damaged[0], testing::HasSubstr(cut.string() + ", record 1, offset 0"));
  EXPECT_THAT(damaged[1], testing::HasSubstr(other.string()));
  EXPECT_EQ(done, 4);
}

TEST(Verify, ListsNoRecordBecauseTheStorageFails) {
  FakeSource source = source_on_failing_storage();
  source.unreadable = {1};
  expect_error(ExitCode::kData, "cannot read (Permission denied)",
               [&] { verify(source, 2, [](std::int64_t, std::int64_t) {}); });
}

TEST(Verify, FindsTheFlippedByteOfTheFixture) {
  const auto file = shared_file("fixtures/tfrecord-cifar32/corrupt-data-r05.tfrecords");
  if (!file) GTEST_SKIP() << "needs GANSCALE_SHARED/fixtures/tfrecord-cifar32";
  const TemporaryFolder cache;
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto damaged = verify(*open_source(*file), 2, [](std::int64_t, std::int64_t) {});
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_THAT(damaged[0], testing::HasSubstr("checksum of the record's data is wrong: "));
}

}  // namespace
}  // namespace ganscale::data
