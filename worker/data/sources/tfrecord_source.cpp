#include "data/sources/tfrecord_source.h"

#include <algorithm>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/formats/labeled_source.h"
#include "data/formats/record_index.h"
#include "data/formats/tf_example.h"
#include "data/formats/tfrecord_framing.h"

namespace ganscale::data {
namespace {

struct IndexedShard {
  FileBytes bytes;
  RecordOffsets offsets;
  std::int64_t first_record = 0;

  std::int64_t record_count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

class TfrecordSource : public LabeledSource {
 public:
  explicit TfrecordSource(const TfrecordFiles& files) {
    for (const auto& file : files.shards) {
      FileBytes bytes(file);
      RecordOffsets offsets = record_offsets(bytes);
      shards_.push_back({std::move(bytes), std::move(offsets), record_count_});
      record_count_ += shards_.back().record_count();
    }
    if (!files.labels) return;
    labels_ = read_label_file(*files.labels);
    const auto label_count = static_cast<std::int64_t>(labels_.values.size());
    if (labels_.count > 0 && label_count != record_count_) {
      throw DataError("labels do not match the records: " + files.labels->string() + " holds " +
                      std::to_string(label_count) + " labels for " + std::to_string(record_count_) +
                      " records");
    }
  }

  std::int64_t record_count() const override { return record_count_; }

  void read(std::int64_t index, Record& record) const override {
    const IndexedShard& shard = shard_of(index);
    const std::int64_t* offset = shard.offsets.data() + (index - shard.first_record);
    const auto frame = shard.bytes.read(offset[0], offset[1] - offset[0], record.buffer);
    ImageExample example;
    try {
      example = parse_image_example(read_frame(frame));
    } catch (const DataError& error) {
      throw DataError(std::string(error.what()) + ": " + describe(index));
    }
    record.bytes = example.data;
    record.encoding = Encoding::kRawChw;
    record.channels = side(example.shape[0]);
    record.height = side(example.shape[1]);
    record.width = side(example.shape[2]);
    record.label = label(index);
  }

  std::string describe(std::int64_t index) const override {
    const IndexedShard& shard = shard_of(index);
    const std::int64_t record = index - shard.first_record;
    return shard.bytes.file().string() + ", record " + std::to_string(record) + ", offset " +
           std::to_string(shard.offsets[record]);
  }

 private:
  /// A damaged shape is still invalid as an int, and refused by decoding.
  static int side(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -1, INT32_MAX));
  }

  const IndexedShard& shard_of(std::int64_t index) const {
    check(index >= 0 && index < record_count_, "the record's number is out of range");
    const auto after = std::ranges::upper_bound(shards_, index, {}, &IndexedShard::first_record);
    return *(after - 1);
  }

  std::vector<IndexedShard> shards_;
  std::int64_t record_count_ = 0;
};

}  // namespace

std::unique_ptr<Source> open_tfrecord(const TfrecordFiles& files) {
  return std::make_unique<TfrecordSource>(files);
}

}  // namespace ganscale::data
