#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/image/source.h"

namespace ganscale::data {

/// A dataset of gray 2x2 images: the first row holds the record's number, low byte first, the
/// second row its double. Label: number mod label_count.
class FakeSource : public Source {
 public:
  explicit FakeSource(std::int64_t record_count, std::int64_t label_count = 0)
      : record_count_(record_count), label_count_(label_count) {}

  /// Runs before each read, on the reader's thread.
  std::function<void(std::int64_t)> on_read = [](std::int64_t) {};
  std::set<std::int64_t> unreadable;   // records whose read fails
  std::set<std::int64_t> undecodable;  // records of another size
  std::vector<std::string> names;      // of the labels

  std::int64_t record_count() const override { return record_count_; }
  std::int64_t label_count() const override { return label_count_; }
  std::int64_t label(std::int64_t index) const override {
    return label_count_ == 0 ? -1 : index % label_count_;
  }
  std::vector<std::string> label_names() const override { return names; }
  std::string describe(std::int64_t index) const override {
    return "fake, record " + std::to_string(index);
  }
  void read(std::int64_t index, Record& record) const override {
    on_read(index);
    if (unreadable.contains(index)) throw DataError("checksum differs: " + describe(index));
    const auto low = static_cast<std::uint8_t>(index);
    const auto high = static_cast<std::uint8_t>(index >> 8);
    const auto twice = static_cast<std::uint8_t>(2 * index);
    record.buffer = {low, high, twice, 0};
    record.bytes = record.buffer;
    record.channels = 1;
    record.height = undecodable.contains(index) ? 1 : 2;
    record.width = undecodable.contains(index) ? 4 : 2;
    record.label = label(index);
  }

 private:
  std::int64_t record_count_;
  std::int64_t label_count_;
};

}  // namespace ganscale::data
