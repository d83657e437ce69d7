#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which transformations the augmentations of ADA consist of.
namespace ganscale::augment {

/// Karras et al. 2020, arXiv:2006.06676, appendix B: eighteen transformations in six groups.
struct AdaPipeline {
  bool xflip = false;
  bool rotate90 = false;
  bool xint = false;   ///< translation by whole pixels
  bool scale = false;  ///< the same along both axes
  bool rotate = false;
  bool aniso = false;  ///< stretching along one axis and shrinking along the other
  bool xfrac = false;  ///< translation by fractions of pixels
  bool brightness = false;
  bool contrast = false;
  bool lumaflip = false;
  bool hue = false;
  bool saturation = false;
  bool imgfilter = false;  ///< amplification or damping of frequency bands
  bool noise = false;
  bool cutout = false;
  double color_strength = 1;  ///< probability of a transformation of colors, times p
};

/// Returns the pipeline of all named transformations. A name is that of a transformation or a
/// group of them: blit, geom, color, filter, bg (blit and geom), bgc, bgcf, bgcfn, bgcfnc.
///
/// Throws ConfigError for an unknown name.
AdaPipeline ada_pipeline(const std::vector<std::string>& names);

}  // namespace ganscale::augment
