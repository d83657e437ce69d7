#pragma once

#include <cstdint>

namespace ganscale::data {

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

/// Which records a rank reads.
enum class Sharding {
  kShuffled,  ///< of each epoch the positions that are its share: others in each epoch
  kFixed,     ///< every n-th record for the whole run (Loppi & Kynkäänniemi 2021)
};

/// The order of records in a run: an endless stream of epochs, each a permutation of the records.
/// The record at a position depends only on the seed, so the plan needs no state but a cursor.
///
/// kShuffled: the stream is the same for any world size.
/// kFixed:    record i belongs to rank i mod world size, whose positions are epochs of permutations
///            of its records alone. One of them may be a record longer than another rank's.
class ShardPlan {
 public:
  /// Plans over the records 0 .. record_count - 1. Throws DataError if there are none.
  ShardPlan(std::int64_t record_count, std::uint64_t seed, bool shuffle,
            Sharding sharding = Sharding::kShuffled);

  /// Returns the number of records in an epoch of all ranks.
  std::int64_t record_count() const { return record_count_; }
  /// Returns the record at a position of the stream that belongs to this rank.
  std::int64_t record_at(std::int64_t position, const RankShare& share = {}) const;
  /// Returns whether the image at this position is mirrored, at random.
  bool mirrored(std::int64_t position) const;

 private:
  std::int64_t record_count_;
  std::uint64_t seed_;
  bool shuffle_;
  Sharding sharding_;
};

}  // namespace ganscale::data
