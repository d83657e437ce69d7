#include "data/parquet/parquet_source.h"

#include <thread>

#include "data/parquet/parquet_files.h"
#include "data/sources/open_source.h"
#include "support/expect_error.h"
#include "support/thorough.h"
#include "unit/data/images.h"
#include "unit/data/parquet/write_parquet.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

std::string png(int value) {
  return encode_png(flat_image(3, 2, static_cast<std::uint8_t>(value)));
}

/// Images of the values `first`, `first` + 1, ...
Files pngs(int count, int first = 0) {
  Files files;
  for (int i = 0; i < count; ++i) files.emplace_back(png(first + i));
  return files;
}

std::vector<std::int64_t> labels_of(const Source& source) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < source.record_count(); ++i) labels.push_back(source.label(i));
  return labels;
}

void expect_refused(const std::string& text, const fs::path& path) {
  expect_error(ExitCode::kData, text, [&] { open_source(path); });
}

class ParquetSource : public testing::Test {
 protected:
  fs::path write(const std::string& name, const Columns& columns,
                 const ParquetOptions& options = {}) const {
    return write_parquet(folder_ / name, columns, options);
  }

  TemporaryFolder folder_;
};

TEST_F(ParquetSource, ReadsRowsOfAllRowGroupsInAnyOrder) {
  const auto file = write("a.parquet", {{"image", images(pngs(7))}});
  const auto source = open_source(file);
  ASSERT_EQ(source->record_count(), 7);
  for (const int row : {6, 0, 3, 2, 5, 1, 4}) EXPECT_EQ(first_byte(*source, row), row);
  EXPECT_EQ(source->describe(5), file.string() + ", row 5");
  EXPECT_EQ(source->label_count(), 0);
  EXPECT_EQ(source->label(0), -1);
}

TEST_F(ParquetSource, ReadsColumnsOfBinaryValues) {
  const auto plain =
      open_source(write("a.parquet", {{"a", integers({1, 2})}, {"b", binary(pngs(2))}}));
  EXPECT_EQ(first_byte(*plain, 1), 1);
  const auto large = open_source(
      write("b.parquet", {{"image", array_of<arrow::LargeBinaryBuilder>(pngs(3, 10))}}));
  EXPECT_EQ(first_byte(*large, 2), 12);
}

TEST_F(ParquetSource, OfAFolderOnlyTheTrainingSplitIsTaken) {
  write("test-00000-of-00001.parquet", {{"image", images(pngs(1))}});
  EXPECT_EQ(open_source(folder_.path())->record_count(), 1);
  write("train-00001-of-00002.parquet", {{"image", images(pngs(3, 30))}});
  const auto first = write("train-00000-of-00002.parquet", {{"image", images(pngs(3, 20))}});
  const auto source = open_source(folder_.path());
  ASSERT_EQ(source->record_count(), 6);
  EXPECT_EQ(first_byte(*source, 2), 22);
  EXPECT_EQ(first_byte(*source, 3), 30);
  EXPECT_EQ(source->describe(2), first.string() + ", row 2");
  EXPECT_THAT(source->describe(4), testing::HasSubstr("train-00001-of-00002.parquet, row 1"));
}

TEST_F(ParquetSource, FilesAreNamedByAPattern) {
  for (int i = 0; i < 3; ++i)
    write("x-0" + std::to_string(i) + ".parquet", {{"image", images(pngs(1, i))}});
  const auto source = open_source(folder_ / "x-{01..02}.parquet");
  ASSERT_EQ(source->record_count(), 2);
  EXPECT_EQ(first_byte(*source, 0), 1);
  expect_refused((folder_ / "x-03.parquet").string(), folder_ / "x-{01..03}.parquet");
}

TEST_F(ParquetSource, TakesLabelsAndNamesOfAClassLabel) {
  const auto file =
      write("a.parquet", {{"image", images(pngs(3))}, {"fine", integers({2, 0, 2})}},
            {.metadata = class_label_metadata("fine", R"(["cat", "dog", "owl", "ox"])")});
  const auto source = open_source(file);
  EXPECT_THAT(labels_of(*source), testing::ElementsAre(2, 0, 2));
  EXPECT_EQ(source->label_count(), 4);
  EXPECT_THAT(source->label_names(), testing::ElementsAre("cat", "dog", "owl", "ox"));
  Record record;
  source->read(2, record);
  EXPECT_EQ(record.label, 2);
}

TEST_F(ParquetSource, CountsLabelsWithoutNames) {
  write("a.parquet", {{"image", images(pngs(3))}, {"label", integers({1, 0, 2})}});
  write("b.parquet", {{"image", images(pngs(1))}, {"label", integers({6})}});
  const auto source = open_source(folder_.path());
  EXPECT_THAT(labels_of(*source), testing::ElementsAre(1, 0, 2, 6));
  EXPECT_EQ(source->label_count(), 7);
}

TEST_F(ParquetSource, RefusesLabelsThatAreUnknownWithFileAndRow) {
  const auto columns = [](std::optional<int> label) {
    return Columns{{"image", images(pngs(4))}, {"label", integers({0, 1, 1, label})}};
  };
  const std::string where = ": " + (folder_ / "a.parquet").string() + ", row 3";
  expect_refused("name a split with labels" + where, write("a.parquet", columns(-1)));
  expect_refused("row has no label (null)" + where, write("a.parquet", columns({})));
  expect_refused(
      "label is out of range (2, labels 2)" + where,
      write("a.parquet", columns(2), {.metadata = class_label_metadata("label", R"(["a", "b"])")}));
  expect_refused("label is out of range (100000000, labels 16777216)" + where,
                 write("a.parquet", columns(100'000'000)));
}

TEST_F(ParquetSource, RefusesImagesThatAreOnlyPaths) {
  const auto file = write("a.parquet", {{"image", images({png(1), std::nullopt, png(3)})}});
  const auto source = open_source(file);
  EXPECT_EQ(first_byte(*source, 2), 3);
  Record record;
  expect_error(ExitCode::kData, "as push_to_hub() of `datasets` does: " + file.string() + ", row 1",
               [&] { source->read(1, record); });
}

TEST_F(ParquetSource, RefusesNullStructs) {
  arrow::StructBuilder builder(
      images({})->type(), arrow::default_memory_pool(),
      {std::make_shared<arrow::BinaryBuilder>(), std::make_shared<arrow::StringBuilder>()});
  must(builder.AppendNull());
  const auto source = open_source(write("a.parquet", {{"image", builder.Finish().ValueOrDie()}}));
  Record record;
  expect_error(ExitCode::kData, "a.parquet, row 0", [&] { source->read(0, record); });
}

TEST_F(ParquetSource, RefusesFilesOfDifferentColumns) {
  const auto a = write("a.parquet", {{"image", images(pngs(1))}, {"label", integers({0})}},
                       {.metadata = class_label_metadata("label", R"(["a", "b"])")});
  const auto b = write("b.parquet", {{"image", images(pngs(1))}});
  expect_refused("have different columns: " + a.string() + " (image: ", folder_.path());
  expect_refused(b.string() + " (image: struct<bytes: binary, path: string>)", folder_.path());
  write("b.parquet", {{"image", images(pngs(1))}, {"label", integers({0})}},
        {.metadata = class_label_metadata("label", R"(["b", "a"])")});
  expect_refused("different names of labels: " + a.string() + ", " + b.string(), folder_.path());
}

TEST_F(ParquetSource, RefusesFilesOfOtherKindsWithTheirName) {
  expect_refused("b.parquet", folder_.write("b.parquet", std::string(1000, 'x')));
  expect_refused("c.parquet", folder_.write("c.parquet", ""));
  const auto text = array_of<arrow::StringBuilder>(Files{"a"});
  expect_refused(
      "no column holds images: binary values, or structs with a binary field bytes (columns: "
      "text: string): " +
          (folder_ / "d.parquet").string(),
      write("d.parquet", {{"text", text}}));
  expect_refused("dataset is empty", write("e.parquet", {{"image", images({})}}));
}

TEST_F(ParquetSource, ReportsHowMuchItDecodesAndKeeps) {
  const auto file =
      write("a.parquet", {{"image", binary({std::string(5000, 'a'), std::string(5000, 'b')})}});
  const ImageBlocks blocks = open_parquet({file}, 9000)->image_blocks();
  EXPECT_EQ(blocks.kept_bytes, 9000);
  EXPECT_NEAR(static_cast<double>(blocks.decoded_bytes), 10000, 200);
}

TEST_F(ParquetSource, ThreadsReadWhatOneThreadReads) {
  constexpr int kRows = 200;
  Files files;
  for (int i = 0; i < kRows; ++i) files.emplace_back(std::string(500 + i, static_cast<char>(i)));
  const auto file = write("a.parquet", {{"image", images(files)}}, {.rows_per_group = 10});
  const auto source = open_parquet({file}, 20'000);  // three of the 20 row groups
  std::vector<std::string> failures(8);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        Record record;
        for (int i = 0; i < 3 * kRows; ++i) {
          const int row = (i * (2 * thread + 7) + thread) % kRows;
          source->read(row, record);
          const std::string read(record.bytes.begin(), record.bytes.end());
          if (read != files[row]) failures[thread] = source->describe(row);
        }
      });
    }
  }
  EXPECT_THAT(failures, testing::Each(""));
}

/// Opens a file and reads all of it. Any error but a DataError with the name of the file fails.
void read_damaged(const fs::path& file) {
  try {
    const auto source = open_parquet({file});
    Record record;
    for (std::int64_t i = 0; i < source->record_count(); ++i) source->read(i, record);
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(file.string()));
  }
}

class DamagedParquet : public ParquetSource,
                       public testing::WithParamInterface<arrow::Compression::type> {
 protected:
  DamagedParquet() {
    file_ = write(
        "a.parquet", {{"image", images(pngs(4))}, {"label", integers({0, 1, 1, 0})}},
        {.metadata = class_label_metadata("label", R"(["a", "b"])"), .compression = GetParam()});
    const auto bytes = read_file(file_);
    whole_.assign(bytes.begin(), bytes.end());
  }

  /// Returns the places to damage: all bytes in `make check-long`, otherwise every seventh, and other
  /// ones for each compression.
  std::vector<std::size_t> places() const {
    const auto step = thorough<std::size_t>(1, 7);
    std::vector<std::size_t> found;
    for (auto i = static_cast<std::size_t>(GetParam()) % step; i < whole_.size(); i += step)
      found.push_back(i);
    return found;
  }

  fs::path file_;
  std::string whole_;
};

TEST_P(DamagedParquet, IsRefusedWhereverItEnds) {
  for (const std::size_t size : places()) {
    folder_.write("a.parquet", whole_.substr(0, size));
    expect_refused(file_.string(), file_);
  }
}

TEST_P(DamagedParquet, IsRefusedOrReadWhicheverByteIsWrong) {
  for (const std::size_t i : places()) {
    for (const int flipped : {1, 0xff}) {
      std::string damaged = whole_;
      damaged[i] = static_cast<char>(damaged[i] ^ flipped);
      folder_.write("a.parquet", damaged);
      read_damaged(file_);
    }
  }
}

TEST_P(DamagedParquet, IsRefusedIfItEndsEarlierThanWhenItWasOpened) {
  const auto source = open_parquet({file_});
  fs::resize_file(file_, 40);
  Record record;
  expect_error(ExitCode::kData, file_.string(), [&] { source->read(3, record); });
}

INSTANTIATE_TEST_SUITE_P(Compressions, DamagedParquet,
                         testing::Values(arrow::Compression::UNCOMPRESSED,
                                         arrow::Compression::SNAPPY, arrow::Compression::ZSTD));

}  // namespace
}  // namespace ganscale::data
