#pragma once

#include <utility>
#include <vector>

#include "data/image/source.h"

namespace ganscale::data {

/// Some records of another source, as a dataset without labels.
class SubsetSource : public Source {
 public:
  /// all: must outlive this. records: indices into it.
  SubsetSource(const Source& all, std::vector<std::int64_t> records)
      : all_(all), records_(std::move(records)), counts_before_(all.counts()) {}

  std::int64_t record_count() const override { return static_cast<std::int64_t>(records_.size()); }
  std::int64_t label_count() const override { return 0; }
  std::int64_t label(std::int64_t /*index*/) const override { return -1; }
  void read(std::int64_t index, Record& record) const override {
    all_.read(number(index), record);
    record.label = -1;
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
  SourceCounts counts_before_;
};

}  // namespace ganscale::data
