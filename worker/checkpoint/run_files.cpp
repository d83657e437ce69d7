#include "checkpoint/run_files.h"

#include "checkpoint/checkpoint_name.h"

namespace ganscale::checkpoint::run_files {
namespace {

constexpr std::string_view kSamplePrefix = "fakes-";
constexpr std::string_view kCheckpointPrefix = "kimg-";
constexpr std::string_view kSampleSuffix = ".png";

}  // namespace

std::string sample_name(std::int64_t images_seen) {
  const auto digits = checkpoint_name(images_seen).substr(kCheckpointPrefix.size());
  return std::string(kSamplePrefix) + digits + std::string(kSampleSuffix);
}

std::optional<std::int64_t> images_of_sample_name(std::string_view name) {
  if (!name.starts_with(kSamplePrefix) || !name.ends_with(kSampleSuffix)) return std::nullopt;
  const auto digits =
      name.substr(kSamplePrefix.size(), name.size() - kSamplePrefix.size() - kSampleSuffix.size());
  return images_of_checkpoint_name(std::string(kCheckpointPrefix).append(digits));
}

}  // namespace ganscale::checkpoint::run_files
