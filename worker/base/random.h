#pragma once

#include <array>
#include <cstdint>

/// Counter-based random numbers: a number is a pure function of (seed, stream, image, site, block),
/// so a run draws the same numbers on any world size and after any restart.
namespace ganscale {

/// What the numbers are for. Each purpose has its own sequence.
enum class Stream : std::uint32_t {
  kShuffle = 1,
  kMirror = 2,
  kGeneratorLatent = 3,      ///< z and labels of the fakes in generator phases
  kDiscriminatorLatent = 4,  ///< z and labels of the fakes in discriminator phases
  kGeneratorNoise = 5,       ///< noise and dropout of forward passes in generator phases
  kDiscriminatorNoise = 6,   ///< noise and dropout of forward passes in discriminator phases
  kAugment = 7,
  kInitialWeights = 8,
  kSamples = 9,              ///< the fixed latents of the sample grid, and `ganscale generate`
  kEvaluate = 10,            ///< fakes for metrics
  kPathLength = 11,          ///< everything in path length regularization
  kReadPause = 12,           ///< before a failed read is repeated
  kStandingStatistics = 13,  ///< fakes whose statistics batch norms take
};

/// Returns the four 32-bit words of Philox4x32-10 for `counter` under `key`.
///
/// Paper: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", SC11.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Returns the counter of one block of an image: block (32 bits), site (16 bits), image (48 bits)
/// and stream (32 bits). 65,536 sites of 16 G words each never overlap.
constexpr std::array<std::uint32_t, 4> random_counter(Stream stream, std::uint64_t image,
                                                      std::uint32_t site, std::uint32_t block) {
  return {block, static_cast<std::uint32_t>(image),
          static_cast<std::uint32_t>(image >> 32) << 16 | (site & 0xFFFF),
          static_cast<std::uint32_t>(stream)};
}

/// Returns the Philox key of a seed.
constexpr std::array<std::uint32_t, 2> random_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

/// Returns the four random words of one block of an image.
constexpr std::array<std::uint32_t, 4> random_block(std::uint64_t seed, Stream stream,
                                                    std::uint64_t image, std::uint32_t site,
                                                    std::uint32_t block) {
  return philox(random_counter(stream, image, site, block), random_key(seed));
}

/// Whether random numbers belong to the image (the same on any world size) or to the rank (Loppi &
/// Kynkäänniemi 2021: seed 1000 + rank).
enum class SeedMode { kImage, kRank };

/// Identifies the images of one rank's batch: row j draws the numbers of image
/// first_image + j * image_stride under `seed`.
struct ImageRandom {
  std::uint64_t seed = 0;
  std::int64_t first_image = 0;
  std::int64_t image_stride = 1;
  /// If set, the first image's number is read from here at each draw instead of from first_image.
  /// It points to memory of the device that draws, so a CUDA graph can be replayed for new images.
  const std::int64_t* first_image_in_memory = nullptr;
};

/// Returns the number of the image in row `row` of a batch.
constexpr std::int64_t image_number(const ImageRandom& images, std::int64_t row) {
  const std::int64_t first =
      images.first_image_in_memory != nullptr ? *images.first_image_in_memory : images.first_image;
  return first + row * images.image_stride;
}

/// Returns the identity of this rank's next images after all ranks have seen `images_seen` images.
///
/// kImage: rank r of n holds the images images_seen + r + j * n, as in the shard plan.
/// kRank:  the seed is seed + rank, and each rank counts its own images.
constexpr ImageRandom image_random(SeedMode mode, std::uint64_t seed, int rank, int world_size,
                                   std::int64_t images_seen) {
  if (mode == SeedMode::kRank) {
    return {seed + static_cast<std::uint64_t>(rank), images_seen / world_size, 1};
  }
  return {seed, images_seen + rank, world_size};
}

}  // namespace ganscale
