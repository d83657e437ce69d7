#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace ganscale::augment {

/// What a draw of the ADA pipeline decides. Every image draws all of them at fixed places, so that
/// the choice of one transformation does not move the numbers of another.
namespace gate {  // whether a transformation takes place
enum Gate : std::size_t {
  kXflip,
  kRotate90,
  kXint,
  kScale,
  kPreRotate,
  kAniso,
  kPostRotate,
  kXfrac,
  kBrightness,
  kContrast,
  kLumaflip,
  kHue,
  kSaturation,
  kBands,  ///< four
  kNoise = kBands + 4,
  kCutout,
  kCount
};
}  // namespace gate
namespace uniform {  // strengths of uniform distribution
enum Uniform : std::size_t {
  kXflip,
  kRotate90,
  kXintX,
  kXintY,
  kPreRotate,
  kPostRotate,
  kLumaflip,
  kHue,
  kCutoutX,
  kCutoutY,
  kCount
};
}  // namespace uniform
namespace normal {  // strengths of normal, half-normal and log-normal distribution
enum Normal : std::size_t {
  kScale,
  kAniso,
  kXfracX,
  kXfracY,
  kBrightness,
  kContrast,
  kSaturation,
  kBands,  ///< four
  kNoise = kBands + 4,
  kCount
};
}  // namespace normal

/// The random numbers of one image's augmentation.
struct AdaDraws {
  std::array<double, gate::kCount> gates{};        ///< in [0, 1)
  std::array<double, uniform::kCount> uniforms{};  ///< in [0, 1)
  std::array<double, normal::kCount> normals{};
};

/// What a batch is augmented for. Each use draws its own numbers.
enum class Use : std::uint32_t {
  kGeneratorFakes,
  kDiscriminatorFakes,
  kReals,
  kRegularizedReals,
  kPairedReals,  ///< of the generator's loss
  kRegularizedFakes,
};

/// The sites at which one use draws.
struct DrawSites {
  explicit DrawSites(Use use);
  std::uint32_t gates;
  std::uint32_t uniforms;
  std::uint32_t normals;
  std::uint32_t pixels;  ///< noise of the size of the image
};

/// Returns the draws of `image_count` images.
std::vector<AdaDraws> random_ada_draws(const ImageRandom& images, Use use,
                                       std::int64_t image_count);

}  // namespace ganscale::augment
