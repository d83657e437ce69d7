#pragma once

#include "base/resolution.h"

namespace ganscale {

/// The shape of the images of a run.
struct ImageShape {
  int channels = 3;
  Resolution resolution = {};
  bool operator==(const ImageShape&) const = default;
};

}  // namespace ganscale
