#include "data/formats/label_file.h"

#include "support/expect_error.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

using std::string_literals::operator""s;

std::string numpy_file(const std::string& type, const std::string& shape, const std::string& data) {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size()) + '\0' + header + data;
}

TEST(LabelFile, ReadsIntegers) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("a.labels", numpy_file("<i4", "(3,)", "\2\0\0\0\0\0\0\0\5\0\0\0"s));
  const LabelSet labels = read_label_file(file);
  EXPECT_THAT(labels.values, testing::ElementsAre(2, 0, 5));
  EXPECT_EQ(labels.count, 6);
}

TEST(LabelFile, ReadsOneHotRows) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.labels", numpy_file("|u1", "(2, 3)", "\0\0\1\1\0\0"s));
  const LabelSet labels = read_label_file(file);
  EXPECT_THAT(labels.values, testing::ElementsAre(2, 0));
  EXPECT_EQ(labels.count, 3);
}

TEST(LabelFile, ReadsRowsThatAreLargerThanABlock) {
  const TemporaryFolder folder;
  constexpr std::int64_t kColumns = 5'000'000;
  std::string rows(3 * kColumns, '\0');
  rows[7] = rows[kColumns] = rows[3 * kColumns - 1] = 1;
  const auto file = folder.write("a.labels", numpy_file("|u1", "(3, 5000000)", rows));
  EXPECT_THAT(read_label_file(file).values, testing::ElementsAre(7, 0, kColumns - 1));
}

TEST(LabelFile, GetsMemoryForSomeOfItsRowsOnly) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.labels", numpy_file("|u1", "(1048576, 1048576)", ""));
  const auto header_bytes = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, header_bytes + (std::uintmax_t{1} << 40));  // a hole
  expect_error(ExitCode::kData, "not one-hot (record 0)", [&] { read_label_file(file); });
}

TEST(LabelFile, WithoutColumnsHasNoLabels) {
  const TemporaryFolder folder;
  const LabelSet labels =
      read_label_file(folder.write("a.labels", numpy_file("<f4", "(9, 0)", "")));
  EXPECT_TRUE(labels.values.empty());
  EXPECT_EQ(labels.count, 0);
}

TEST(LabelFile, ReadsWhatItWroteWithTheNames) {
  const TemporaryFolder folder;
  write_label_file(folder / "a-rxx.labels", {{1, 0, 1}, 2, {"cat", "dog"}});
  const LabelSet labels = read_label_file(folder / "a-rxx.labels");
  EXPECT_THAT(labels.values, testing::ElementsAre(1, 0, 1));
  EXPECT_EQ(labels.count, 2);
  EXPECT_THAT(labels.names, testing::ElementsAre("cat", "dog"));
}

// /dev/full takes nothing.
TEST(LabelFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  const LabelSet labels{{1, 0, 1}, 2, {"cat", "dog"}};
  expect_error(ExitCode::kData, "cannot write the labels: /dev/full: No space left on device",
               [&] { write_label_file("/dev/full", labels); });
  expect_error(ExitCode::kData,
               "cannot write the labels: /nowhere/a.labels: No such file or directory",
               [&] { write_label_file("/nowhere/a.labels", labels); });
  const auto names = folder / "a-rxx.label-names.json";
  std::filesystem::create_symlink("/dev/full", names);
  expect_error(ExitCode::kData,
               "cannot write the label names: " + names.string() + ": No space left on device",
               [&] { write_label_file(folder / "a-rxx.labels", labels); });
}

TEST(LabelFile, NamesTheRecordWhoseRowIsWrong) {
  const TemporaryFolder folder;
  const auto two_hot = folder.write("a.labels", numpy_file("|u1", "(2, 2)", "\0\1\1\1"s));
  expect_error(ExitCode::kData, "not one-hot (record 1)", [&] { read_label_file(two_hot); });
  const auto negative = folder.write("b.labels", numpy_file("|i1", "(2,)", "\0\xff"s));
  expect_error(ExitCode::kData, "b.labels, label is out of range (record 1)",
               [&] { read_label_file(negative); });
}

TEST(LabelFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& why, const std::string& content) {
    expect_error(ExitCode::kData, why, [&] { read_label_file(folder.write("a.labels", content)); });
  };
  refused("not a NumPy file", "");
  refused("file is truncated", numpy_file("<i4", "(3,)", "\2\0\0\0\0\0\0\0\5\0\0"s));
  refused("element type", numpy_file(">i4", "(1,)", "\0\0\0\1"s));
  refused("shape is not", numpy_file("|u1", "(1, 1, 1)", "\1"s));
  refused("header is not", numpy_file("|u1'; import os", "(1,)", "\1"s));
}

TEST(LabelFile, RefusesAHeaderThatIsTooLongToBeParsed) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }" +
                             std::string((1 << 20) - 57, ' ');
  const std::string content = "\x93NUMPY\x02\0\0\0\x10\0"s + header + std::string(4, '\0');
  expect_error(ExitCode::kData, "header is too long",
               [&] { read_label_file(folder.write("a.labels", content)); });
}

TEST(LabelFile, ReadsTheOneThatNumPyWrote) {
  const auto file = shared_file("fixtures/tfrecord-cifar32/cifar32-rxx.labels");
  if (!file) GTEST_SKIP() << "needs GANSCALE_SHARED/fixtures/tfrecord-cifar32";
  const LabelSet labels = read_label_file(*file);
  EXPECT_EQ(labels.values.size(), 70U);
  EXPECT_EQ(labels.count, 10);
}

}  // namespace
}  // namespace ganscale::data
