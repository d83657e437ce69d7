#include "data/sources/cifar_source.h"

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "data/formats/file_bytes.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::int64_t kImageBytes = 3 * kSide * kSide;

/// The differences between the two datasets.
struct Kind {
  std::int64_t label_bytes;  ///< before each image; the last one counts
  std::int64_t label_count;
  const char* names_file;
  std::vector<std::string> training_files;
  std::string test_file;
};

const Kind& cifar10() {
  static const Kind kind = {1,
                            10,
                            "batches.meta.txt",
                            {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                             "data_batch_4.bin", "data_batch_5.bin"},
                            "test_batch.bin"};
  return kind;
}

const Kind& cifar100() {
  static const Kind kind = {2, 100, "fine_label_names.txt", {"train.bin"}, "test.bin"};
  return kind;
}

/// Returns the kind of a path, or null.
const Kind* kind_of_cifar(const fs::path& path) {
  const Storage& storage = storage_of(path);
  const bool is_folder = storage.is_folder(path);
  for (const Kind* kind : {&cifar10(), &cifar100()}) {
    const auto& training = kind->training_files;
    const std::string name = path.filename().string();
    const bool is_file = name == kind->test_file || std::ranges::count(training, name) > 0;
    if (is_file || (is_folder && storage.is_file(path / training.front()))) return kind;
  }
  return nullptr;
}

std::vector<std::string> read_class_names(const fs::path& file, std::int64_t count) {
  std::vector<std::string> names;
  if (!storage_of(file).is_file(file)) return {};
  const std::vector<std::uint8_t> content = read_file(file);
  std::istringstream in({content.begin(), content.end()});
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) names.push_back(line);
  }
  if (static_cast<std::int64_t>(names.size()) != count) names.clear();
  return names;
}

class CifarSource : public Source {
 public:
  CifarSource(const Kind& kind, const std::vector<fs::path>& files) : kind_(kind) {
    for (const fs::path& file : files) add(FileBytes(file));
    names_ = read_class_names(files.front().parent_path() / kind.names_file, kind.label_count);
  }

  std::int64_t record_count() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label_count() const override { return kind_.label_count; }
  std::vector<std::string> label_names() const override { return names_; }
  std::int64_t label(std::int64_t index) const override { return labels_[index]; }

  void read(std::int64_t index, Record& record) const override {
    const Batch& batch = batch_of(index);
    const std::int64_t offset = (index - batch.first_record) * record_bytes() + kind_.label_bytes;
    record.bytes = batch.bytes.read(offset, kImageBytes, record.buffer);
    record.encoding = Encoding::kRawChw;
    record.channels = 3;
    record.height = kSide;
    record.width = kSide;
    record.label = labels_[index];
  }

  std::string describe(std::int64_t index) const override {
    const Batch& batch = batch_of(index);
    return describe(batch, index - batch.first_record);
  }

 private:
  struct Batch {
    FileBytes bytes;
    std::int64_t first_record;
  };

  std::int64_t record_bytes() const { return kind_.label_bytes + kImageBytes; }

  std::string describe(const Batch& batch, std::int64_t record) const {
    return batch.bytes.file().string() + ", record " + std::to_string(record) + ", offset " +
           std::to_string(record * record_bytes());
  }

  const Batch& batch_of(std::int64_t index) const {
    check(index >= 0 && index < record_count(), "the record's number is out of range");
    return *(std::ranges::upper_bound(batches_, index, {}, &Batch::first_record) - 1);
  }

  /// Reads the whole file once for its labels.
  void add(FileBytes file) {
    batches_.push_back({std::move(file), record_count()});
    const Batch& batch = batches_.back();
    const std::int64_t count = batch.bytes.size_bytes() / record_bytes();
    if (count * record_bytes() != batch.bytes.size_bytes()) {
      throw DataError("file is truncated: " + describe(batch, count));
    }
    constexpr std::int64_t kRecordsARead = 512;
    std::vector<std::uint8_t> buffer;
    for (std::int64_t first = 0; first < count; first += kRecordsARead) {
      const std::int64_t here = std::min(kRecordsARead, count - first);
      const auto bytes = batch.bytes.read(first * record_bytes(), here * record_bytes(), buffer);
      for (std::int64_t i = 0; i < here; ++i) {
        const std::uint8_t label = bytes[i * record_bytes() + kind_.label_bytes - 1];
        if (label >= kind_.label_count) {
          throw DataError("label is out of range (" + std::to_string(label) +
                          "): " + describe(batch, first + i));
        }
        labels_.push_back(label);
      }
    }
  }

  const Kind& kind_;
  std::vector<Batch> batches_;
  std::vector<std::uint8_t> labels_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Source> open_cifar(const fs::path& path) {
  const Kind* kind = kind_of_cifar(path);
  if (kind == nullptr) throw DataError("not a binary CIFAR file: " + path.string());
  std::vector<fs::path> files;
  if (!storage_of(path).is_folder(path)) {
    files.push_back(path);
  } else {
    for (const std::string& name : kind->training_files) files.push_back(path / name);
  }
  return std::make_unique<CifarSource>(*kind, files);
}

bool is_cifar(const fs::path& path) { return kind_of_cifar(path) != nullptr; }

}  // namespace ganscale::data
