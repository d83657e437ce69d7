#pragma once

namespace ganscale {

/// The shape of the images of a run.
struct ImageShape {
  int channels = 3;
  int resolution = 32;  ///< height and width
  bool operator==(const ImageShape&) const = default;
};

}  // namespace ganscale
