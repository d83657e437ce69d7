#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/resolution.h"

namespace ganscale::models::stylegan3 {

/// The shape of a synthesis network. Frequencies are in cycles per shorter side of the
/// images, rates in samples per shorter side.
struct SynthesisShape {
  Resolution resolution = 256;
  int image_channels = 3;
  int channel_base = 32768;
  int channel_max = 512;
  int layers = 14;            ///< without the one that makes the image
  int critical_layers = 2;    ///< at the end, which use all frequencies up to half the rate
  double first_cutoff = 2;    ///< of the first layer
  double first_stopband = 0;  ///< of the first layer
  double last_stopband = 0;   ///< of the last layers, as a multiple of their cutoff
  int margin = 10;            ///< pixels around an image that layers compute in addition
  int kernel = 3;             ///< of the convolutions
  int filter_taps = 6;        ///< for each multiple of a sampling rate
  int activation_rate = 2;    ///< how much more finely activations are sampled
  bool has_radial_filters = false;
  int low_precision_resolutions = 0;  ///< the highest ones, which compute in low precision
};

/// What a layer takes or gives.
struct Signal {
  int channels = 0;
  Resolution size = 0;
  int rate = 0;           ///< samples per shorter side of the images
  double cutoff = 0;      ///< highest frequency that it has
  double half_width = 0;  ///< half of the band above in which filters fall to their stop band
};

/// Zeros before and after an axis; negative: a crop.
struct Padding {
  int before = 0;
  int after = 0;
};

/// The geometry of one layer.
struct Layer {
  Signal in;
  Signal out;
  int kernel = 3;
  int filter_taps = 6;
  int activation_rate = 2;
  bool is_to_rgb = false;
  bool is_critical = false;
  bool has_radial_filters = false;
  bool has_low_precision = false;

  /// Returns the rate at which it activates.
  int activated_rate() const;
  int up() const { return activated_rate() / in.rate; }
  int down() const { return activated_rate() / out.rate; }
  int up_taps() const;    ///< 1: no filter
  int down_taps() const;  ///< 1: no filter
  bool has_radial_down_filter() const { return has_radial_filters && !is_critical; }
  Padding padding(int in_length, int out_length) const;
};

/// Returns the name of a layer, L<number>_<size>_<channels> of what it makes.
std::string name_of(const Layer& layer, std::size_t number);

/// Returns the input of the first layer: its cutoff is the bandwidth of the Fourier features.
Signal input_signal(const SynthesisShape& shape);

/// Returns the layers in their order; the last one makes the image.
///
/// Paper: Karras et al. 2021, arXiv:2106.12423, Section 3.2 and Appendix D.
std::vector<Layer> layers_of(const SynthesisShape& shape);

}  // namespace ganscale::models::stylegan3
