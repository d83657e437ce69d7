#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/image/source.h"

namespace ganscale::data {

/// Returns number i of `count` of the numbers below `total`, which are evenly spaced from 0 on, since
/// a dataset may be sorted by label. count: at most total.
constexpr std::int64_t evenly_spaced(std::int64_t i, std::int64_t total, std::int64_t count) {
  return i * (total / count) + i * (total % count) / count;
}

/// Returns all of these numbers.
inline std::vector<std::int64_t> evenly_spaced(std::int64_t total, std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(evenly_spaced(i, total, count));
  return numbers;
}

/// Whether a part of a dataset has all its labels or none.
enum class SubsetLabels { kAll, kNone };

/// Some records of another source, as a dataset.
class SubsetSource : public Source {
 public:
  /// all: must outlive this. records: indices into it.
  SubsetSource(const Source& all, std::vector<std::int64_t> records,
               SubsetLabels labels = SubsetLabels::kNone)
      : all_(all),
        records_(std::move(records)),
        has_labels_(labels == SubsetLabels::kAll),
        counts_before_(all.counts()) {}

  std::int64_t record_count() const override { return static_cast<std::int64_t>(records_.size()); }
  std::int64_t label_count() const override { return has_labels_ ? all_.label_count() : 0; }
  std::vector<std::string> label_names() const override {
    return has_labels_ ? all_.label_names() : std::vector<std::string>();
  }
  std::int64_t label(std::int64_t index) const override {
    return has_labels_ ? all_.label(number(index)) : -1;
  }
  void read(std::int64_t index, Record& record) const override {
    all_.read(number(index), record);
    record.label = label(index);
  }
  std::string describe(std::int64_t index) const override { return all_.describe(number(index)); }
  /// Counts the reads since this was made: the ones before are not this dataset's.
  SourceCounts counts() const override {
    SourceCounts counts = all_.counts();
    counts.repeated_reads -= counts_before_.repeated_reads;
    counts.cached_reads -= counts_before_.cached_reads;
    return counts;
  }

 private:
  std::int64_t number(std::int64_t index) const {
    return records_[static_cast<std::size_t>(index)];
  }

  const Source& all_;
  std::vector<std::int64_t> records_;
  bool has_labels_;
  SourceCounts counts_before_;
};

}  // namespace ganscale::data
