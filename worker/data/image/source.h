#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/image/record.h"

namespace ganscale::data {

/// What a source has counted, of all threads.
struct SourceCounts {
  std::int64_t repeated_reads = 0;  ///< after an error that may pass
  std::int64_t cached_reads = 0;    ///< from the cache of this node
  std::int64_t cached_bytes = 0;    ///< in that cache
};

/// Images that are decoded in blocks, not one by one: reading them in random order decodes a block for
/// each image, unless all blocks are kept.
struct ImageBlocks {
  std::int64_t decoded_bytes = 0;  ///< of all blocks; 0 if records are read one by one
  std::int64_t kept_bytes = 0;     ///< how much of that is kept
};

/// A dataset with random access to its records. All functions are thread safe.
class Source {
 public:
  virtual ~Source() = default;

  virtual std::int64_t record_count() const = 0;
  /// Number of labels; 0 for a dataset without labels.
  virtual std::int64_t label_count() const = 0;
  /// Names of the labels; may be empty.
  virtual std::vector<std::string> label_names() const { return {}; }
  /// Returns the label of a record without reading its image; -1 without labels.
  virtual std::int64_t label(std::int64_t index) const = 0;
  /// Reads a record into `record`. Its bytes are valid until the next read into it, as long as the
  /// source lives. Throws DataError with file, record and offset: StorageError if the storage
  /// failed, TransientReadError if the same read may succeed later.
  virtual void read(std::int64_t index, Record& record) const = 0;
  /// Describes a record for messages: "faces-r05.tfrecords, record 17, offset 53006".
  virtual std::string describe(std::int64_t index) const = 0;
  virtual SourceCounts counts() const { return {}; }
  virtual ImageBlocks image_blocks() const { return {}; }
};

}  // namespace ganscale::data
