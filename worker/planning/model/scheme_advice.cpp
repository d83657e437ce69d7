#include "planning/model/scheme_advice.h"

#include <algorithm>

#include "wire/scheme.h"

namespace ganscale::planning {
namespace {

bool is_better(const SchemeRun& run, const SchemeRun& than) {
  if (run.choice.max_staleness != than.choice.max_staleness) {
    return run.choice.max_staleness < than.choice.max_staleness;
  }
  return run.images_per_second > than.images_per_second;
}

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
    if (!advice->asynchronous || is_better(run, *advice->asynchronous)) advice->asynchronous = run;
  }
  return advice;
}

}  // namespace ganscale::planning
