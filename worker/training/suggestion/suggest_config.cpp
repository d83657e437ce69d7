#include "training/suggestion/suggest_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <vector>

#include "base/error.h"
#include "data/sources/read_image.h"
#include "data/storage/storage.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kMostSampled = 64;
constexpr std::int64_t kMostLabels = 1000;
constexpr int kLeastPixels = 32;  // of the models below

/// Above this the discriminator seldom overfits.
constexpr std::int64_t kManyImages = 20'000;

int power_of_two(std::int64_t at_most) {
  return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(at_most)));
}

int resolution_for(const Survey& data, const Workplace& workplace) {
  constexpr int kMostOnGpu = 256;
  constexpr int kMostOnCpu = 64;
  constexpr int kManyCores = 16;
  int most = workplace.cores >= kManyCores ? kMostOnCpu : kLeastPixels;
  if (workplace.has_gpu) most = kMostOnGpu;
  return std::clamp(power_of_two(std::max(data.side, 1)), kLeastPixels, most);
}

/// Returns a batch that the ranks can share and that the dataset has.
std::int64_t batch_for(std::int64_t wanted, const Survey& data, const Workplace& workplace) {
  const std::int64_t most = std::min<std::int64_t>(wanted, power_of_two(data.images));
  return std::max<std::int64_t>(1, most / workplace.ranks) * workplace.ranks;
}

/// Returns a batch with a power of two of images for each rank: StyleGAN2 divides it into groups of
/// up to four.
std::int64_t batch_of_groups(std::int64_t wanted, const Survey& data, const Workplace& workplace) {
  const std::int64_t of_rank = batch_for(wanted, data, workplace) / workplace.ranks;
  return std::int64_t{power_of_two(of_rank)} * workplace.ranks;
}

bool uses_labels(const Survey& data) { return data.labels > 1 && data.labels <= kMostLabels; }

/// Returns a text as YAML, whatever its bytes: names of files need not be UTF-8.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string data_section(const std::string& path, const Survey& data) {
  return fmt::format("data: {{path: {}, fit: resize, channels: {}{}}}\n", quoted(path),
                     data.is_gray ? "gray" : "rgb",
                     uses_labels(data) || data.labels == 0 ? "" : ", labels: ignore");
}

std::string augment_section(const Survey& data, const char* name) {
  return data.images < kManyImages ? fmt::format("augment: {{name: {}}}\n", name) : "";
}

std::string on_cpu(const Survey& data, const Workplace& workplace) {
  const auto optimizer = [](const char* rate) {
    return fmt::format(
        "  optimizer: {{name: adam, learning_rate: {}, betas: [0.5, 0.999], schedule: {{name: "
        "cosine, final_fraction: 0.1}}}}\n",
        rate);
  };
  return fmt::format(
             "model: {{name: {}, resolution: {}, batch_norm: synchronized}}\n"
             "training: {{total_kimg: 200, batch: {}, tick_kimg: 2, samples_every_kimg: 10}}\n",
             uses_labels(data) ? "conditional_dcgan" : "dcgan", resolution_for(data, workplace),
             batch_for(32, data, workplace)) +
         "generator:\n" + optimizer("0.0005") + "  ema_kimg: 3\n" + "discriminator:\n" +
         optimizer("0.001") + "  r1_gamma: 1\n  r1_interval: 8\n" +
         augment_section(data, "diffaugment") + "checkpoint: {every_kimg: 10}\n";
}

std::string on_gpu(const Survey& data, const Workplace& workplace) {
  constexpr std::int64_t kLargestBatch = 64;  // of the preset
  // Three ranks, for example, cannot share the batch that the preset takes.
  const bool suits = data.images >= kLargestBatch && kLargestBatch % workplace.ranks == 0;
  const std::string batch =
      suits ? "" : fmt::format(", batch: {}", batch_of_groups(kLargestBatch, data, workplace));
  return fmt::format(
      "model: {{name: stylegan2, preset: auto, resolution: {}{}}}\n"
      "training: {{total_kimg: 5000{}, tick_kimg: 4, samples_every_kimg: 50}}\n"
      "{}checkpoint: {{every_kimg: 50}}\n",
      resolution_for(data, workplace), uses_labels(data) ? ", conditional: true" : "", batch,
      augment_section(data, "ada"));
}

}  // namespace

Survey survey(const data::Source& source) {
  Survey found{.images = source.record_count(), .labels = source.label_count(), .is_gray = true};
  const std::int64_t count = std::min(kMostSampled, found.images);
  std::vector<int> sides;
  std::exception_ptr damage;
  data::Record record;
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      const data::Image shape = data::read_shape(source, i * found.images / count, record);
      sides.push_back(std::min(shape.height, shape.width));
      found.is_gray &= shape.channels <= 2;
    } catch (const data::StorageError&) {
      throw;
    } catch (const DataError&) {
      damage = std::current_exception();
    }
  }
  if (sides.empty() && damage) std::rethrow_exception(damage);
  const auto middle = sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2);
  std::ranges::nth_element(sides, middle);
  found.side = *middle;
  return found;
}

std::string suggest_config(const std::string& path, const Survey& data,
                           const Workplace& workplace) {
  return data_section(path, data) +
         (workplace.has_gpu ? on_gpu(data, workplace) : on_cpu(data, workplace));
}

}  // namespace ganscale::training
