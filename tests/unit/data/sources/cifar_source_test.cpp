#include "data/sources/cifar_source.h"

#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

std::string record_of(const std::string& labels, char value) {
  return labels + std::string(3072, value);
}

void write_cifar10(const TemporaryFolder& folder) {
  for (int i = 1; i <= 5; ++i) {
    const auto label = static_cast<char>(i);
    folder.write("data_batch_" + std::to_string(i) + ".bin",
                 record_of({label}, 'a') + record_of({9}, 'b'));
  }
}

TEST(CifarSource, ReadsTheTrainingBatchesOfAFolder) {
  const TemporaryFolder folder;
  write_cifar10(folder);
  const auto source = open_source(folder.path());
  EXPECT_EQ(source->record_count(), 10);
  EXPECT_EQ(source->label_count(), 10);
  EXPECT_EQ(source->label(4), 3);
  Record record;
  source->read(5, record);
  EXPECT_EQ(record.label, 9);
  EXPECT_EQ(record.bytes.size(), 3072U);
  EXPECT_EQ(record.bytes[0], 'b');
  EXPECT_THAT(source->describe(5), testing::HasSubstr("data_batch_3.bin, record 1, offset 3073"));
}

TEST(CifarSource, TakesTheFineLabelsOfCifar100) {
  const TemporaryFolder folder;
  const auto file = folder.write("test.bin", record_of("\x05\x37", 'x'));
  const auto source = open_source(file);
  EXPECT_EQ(source->label_count(), 100);
  EXPECT_EQ(source->label(0), 0x37);
  Record record;
  source->read(0, record);
  EXPECT_EQ(record.bytes[0], 'x');
}

TEST(CifarSource, NamesItsLabels) {
  const TemporaryFolder folder;
  write_cifar10(folder);
  folder.write("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  EXPECT_EQ(open_source(folder.path())->label_names().back(), "j");
}

TEST(CifarSource, RefusesAMissingBatch) {
  const TemporaryFolder folder;
  write_cifar10(folder);
  std::filesystem::remove(folder / "data_batch_4.bin");
  expect_error(ExitCode::kData, "data_batch_4.bin", [&] { open_source(folder.path()); });
}

TEST(CifarSource, RefusesATruncatedFileAndAWrongLabel) {
  const TemporaryFolder folder;
  const auto cut =
      folder.write("test_batch.bin", record_of({1}, 'a') + record_of({1}, 'a').substr(1));
  expect_error(ExitCode::kData, "file is truncated: " + cut.string() + ", record 1, offset 3073",
               [&] { open_source(cut); });
  const auto wrong = folder.write("test_batch.bin", record_of({1}, 'a') + record_of({10}, 'a'));
  expect_error(ExitCode::kData, "label is out of range (10): " + wrong.string() + ", record 1",
               [&] { open_source(wrong); });
}

}  // namespace
}  // namespace ganscale::data
