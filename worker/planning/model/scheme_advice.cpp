#include "planning/model/scheme_advice.h"

#include <algorithm>

#include "wire/scheme.h"

namespace ganscale::planning {
namespace {

/// A smaller gain would not be worth the staleness, and may be one of the simulation's noise.
constexpr double kLeastGain = 0.01;

}  // namespace

double SchemeAdvice::asynchronous_gain() const {
  if (!asynchronous) return 0;
  return asynchronous->images_per_second / synchronous.images_per_second - 1;
}

const SchemeRun& SchemeAdvice::advised() const {
  return asynchronous_gain() > kLeastGain ? *asynchronous : synchronous;
}

std::optional<SchemeAdvice> advise_scheme(std::span<const SchemeRun> runs) {
  std::optional<SchemeAdvice> advice;
  double fastest = 0;
  for (const SchemeRun& run : runs) {
    if (run.choice.scheme == wire::kSynchronous.name) advice = SchemeAdvice{.synchronous = run};
    if (run.choice.ratio) fastest = std::max(fastest, run.images_per_second);
  }
  if (!advice) return std::nullopt;
  for (const SchemeRun& run : runs) {
    if (!run.choice.ratio || run.images_per_second * (1 + kLeastGain) < fastest) continue;
    if (!advice->asynchronous ||
        run.choice.max_staleness < advice->asynchronous->choice.max_staleness) {
      advice->asynchronous = run;
    }
  }
  return advice;
}

}  // namespace ganscale::planning
