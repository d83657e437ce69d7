#include "data/loader/shard_plan.h"

#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace ganscale::data {
namespace {

// Names a permutation: each epoch of each shard has its own.
struct Epoch {
  std::uint64_t seed;
  std::uint64_t number;
  int shard;
};

// Returns the position of `index` in a pseudo-random permutation of 0 .. count - 1.
//
// Black & Rogaway 2002, "Ciphers with arbitrary finite domains": a Feistel network over the pairs
// (left, right) with left < a and right < b, the smallest a * b >= count near a square, iterated
// until the result is below count. At most a - 1 pairs are not, so iteration is rare.
std::int64_t permuted(std::int64_t index, std::int64_t count, const Epoch& epoch) {
  constexpr std::uint32_t kRounds = 8;
  const std::uint32_t first_site = kRounds * static_cast<std::uint32_t>(epoch.shard);
  const auto a = static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<long double>(count))));
  const std::uint64_t b = (static_cast<std::uint64_t>(count) + a - 1) / a;
  auto value = static_cast<std::uint64_t>(index);
  do {
    std::uint64_t left = value / b;
    std::uint64_t right = value % b;
    for (std::uint32_t round = 0; round < kRounds; round += 2) {
      const auto f = [&](std::uint32_t site, std::uint64_t half) {
        return random_block(epoch.seed, Stream::kShuffle, epoch.number, first_site + site,
                            static_cast<std::uint32_t>(half))[0];
      };
      left = (left + f(round, right)) % a;
      right = (right + f(round + 1, left)) % b;
    }
    value = left * b + right;
  } while (value >= static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>(value);
}

}  // namespace

ShardPlan::ShardPlan(std::int64_t record_count, std::uint64_t seed, bool shuffle, Sharding sharding)
    : record_count_(record_count), seed_(seed), shuffle_(shuffle), sharding_(sharding) {
  if (record_count < 1) throw DataError("the dataset has no records");
}

std::int64_t ShardPlan::record_at(std::int64_t position, const RankShare& share) const {
  check(position >= 0, "a position of the stream is not negative");
  const bool fixed = sharding_ == Sharding::kFixed;
  const int shard = fixed ? share.rank : 0;
  const int shard_count = fixed ? share.world_size : 1;
  const std::int64_t place = position / shard_count;  // in the stream of the shard
  const std::int64_t count = (record_count_ - shard + shard_count - 1) / shard_count;
  check(count > 0, "each rank has a record");
  const auto epoch = static_cast<std::uint64_t>(place / count);
  std::int64_t index = place % count;
  if (shuffle_) index = permuted(index, count, {seed_, epoch, shard});
  return shard + index * shard_count;
}

bool ShardPlan::mirrored(std::int64_t position) const {
  const auto image = static_cast<std::uint64_t>(position);
  return (random_block(seed_, Stream::kMirror, image, 0, 0)[0] & 1) != 0;
}

}  // namespace ganscale::data
