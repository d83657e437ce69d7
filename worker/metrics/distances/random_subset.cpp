#include "metrics/distances/random_subset.h"

#include <set>

#include "base/error.h"
#include "base/random.h"

namespace ganscale::metrics {
namespace {

// The last site of the stream: the networks that generate fakes count theirs from 0.
constexpr std::uint32_t kSite = 0xFFFF;

}  // namespace

std::vector<std::int64_t> random_subset(std::int64_t count, std::int64_t size, std::uint64_t seed,
                                        std::uint64_t index) {
  check(size >= 0 && size <= count, "a subset is no larger than its set");
  std::set<std::int64_t> chosen;
  for (std::int64_t last = count - size; last < count; ++last) {
    const auto block = static_cast<std::uint32_t>(last - (count - size));
    const auto words = random_block(seed, Stream::kEvaluate, index, kSite, block);
    const auto draw = std::uint64_t{words[0]} << 32 | words[1];
    const auto candidate = static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(last + 1));
    if (!chosen.insert(candidate).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace ganscale::metrics
