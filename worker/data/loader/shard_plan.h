#pragma once

#include <cstdint>

namespace ganscale::data {

/// The order of records in a run: an endless stream of epochs, each a permutation of the records.
/// The record at a position depends only on the seed, so the plan needs no state but a cursor and
/// is the same for any world size.
class ShardPlan {
 public:
  /// Plans over the records 0 .. record_count - 1. Throws DataError if there are none.
  ShardPlan(std::int64_t record_count, std::uint64_t seed, bool shuffle);

  /// Returns the number of records in an epoch.
  std::int64_t record_count() const { return record_count_; }
  /// Returns the record at a position of the stream: position / record_count() is the epoch.
  std::int64_t record_at(std::int64_t position) const;
  /// Returns whether the image at this position is mirrored, at random.
  bool mirrored(std::int64_t position) const;

 private:
  std::int64_t record_count_;
  std::uint64_t seed_;
  bool shuffle_;
};

/// How the stream is split among ranks: image j of rank r's batch at `cursor` has the position
/// cursor + r + j * world_size, and the next batch starts at cursor + global_batch(). The global
/// batch is the same for any world size that divides it.
struct RankShare {
  int rank = 0;
  int world_size = 1;
  int batch_per_rank = 1;

  std::int64_t global_batch() const { return std::int64_t{world_size} * batch_per_rank; }
  std::int64_t position(std::int64_t cursor, std::int64_t image) const {
    return cursor + rank + image * world_size;
  }
};

}  // namespace ganscale::data
