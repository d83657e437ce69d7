#pragma once

#include "base/non_copyable.h"
#include "models/contract/style_generator.h"

namespace ganscale::training {

/// Lets a generator in eval mode draw its noise, as in training mode, for a scope. What it does
/// then by synthesize() depends on the mode in no other way.
class DrawnNoise : NonCopyable {
 public:
  explicit DrawnNoise(models::StyleGenerator& generator) : generator_(generator) {
    generator_.train();
  }
  ~DrawnNoise() { generator_.eval(); }

 private:
  models::StyleGenerator& generator_;
};

}  // namespace ganscale::training
