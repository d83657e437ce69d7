#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <shared_mutex>
#include <unordered_map>

#include "data/image/source.h"
#include "files/file_descriptor.h"

namespace ganscale::data {

/// Another source whose records are kept in a file on this node once they were read, so that shared
/// storage is read once.
///
/// The file has no name: it disappears when the process ends in any way, so no later run reads
/// old images. Once it has its size, further records are read from the source each time:
/// since each epoch reads all records, replacing some would gain nothing. A record whose checksum
/// is wrong is read from the source again.
class CachedSource : public Source {
 public:
  /// Creates the file. source: must outlive this. Throws ConfigError if the folder cannot be
  /// written.
  CachedSource(const Source& source, const std::filesystem::path& folder, std::int64_t limit_bytes);

  std::int64_t record_count() const override { return source_.record_count(); }
  std::int64_t label_count() const override { return source_.label_count(); }
  std::vector<std::string> label_names() const override { return source_.label_names(); }
  std::int64_t label(std::int64_t index) const override { return source_.label(index); }
  std::string describe(std::int64_t index) const override { return source_.describe(index); }
  void read(std::int64_t index, Record& record) const override;
  SourceCounts counts() const override;

 private:
  struct Entry {
    std::int64_t offset = 0;
    std::int64_t size_bytes = 0;
    std::uint32_t checksum = 0;
    Encoding encoding = Encoding::kRawChw;
    int channels = 0;
    int height = 0;
    int width = 0;
    std::int64_t label = -1;
  };

  bool read_cached(const Entry& entry, Record& record) const;
  void keep(std::int64_t index, const Record& record) const;

  const Source& source_;
  const std::int64_t limit_bytes_;
  FileDescriptor file_;
  mutable std::atomic<std::int64_t> cached_reads_ = 0;
  mutable std::shared_mutex mutex_;  // guards what follows; reads of cached records share it
  mutable std::unordered_map<std::int64_t, Entry> entries_;
  mutable std::int64_t used_bytes_ = 0;
  mutable bool is_writable_ = true;
};

}  // namespace ganscale::data
