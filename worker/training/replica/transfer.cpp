#include "training/replica/transfer.h"

#include <ATen/core/grad_mode.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/reader.h"

namespace ganscale::training {
namespace {

checkpoint::Snapshot read_snapshot(const std::filesystem::path& from) {
  if (std::filesystem::exists(from / "manifest.json")) return checkpoint::load_checkpoint(from);
  const auto newest = checkpoint::newest_valid_checkpoint(from);
  if (!newest) throw DataError("training.resume_weights names no checkpoint: " + from.string());
  return checkpoint::load_checkpoint(*newest);
}

/// Copies matching tensors; returns their names.
std::set<std::string> copy_fitting(const NamedTensors& target, const NamedTensors& source) {
  const at::NoGradGuard no_grad;
  std::set<std::string> copied;
  for (const auto& [name, tensor] : target) {
    if (is_filter(name)) continue;
    const auto found = source.find(name);
    if (found == source.end() || found->second.sizes() != tensor.sizes()) continue;
    tensor.copy_(found->second);
    copied.insert(name);
  }
  return copied;
}

/// How much of a network was copied from another one.
struct Share {
  std::int64_t copied = 0;  ///< parameters
  std::int64_t left = 0;
};

/// Counts parameters only: buffers, such as means, and scalars, such as noise strengths, match for
/// any shape of the network.
Share share_of(const torch::nn::Module& network, const std::set<std::string>& copied) {
  Share share;
  for (const auto& [name, parameter] : named_parameters(network)) {
    if (parameter.numel() > 1) ++(copied.contains(name) ? share.copied : share.left);
  }
  return share;
}

void take(const char* file, const torch::nn::Module& network, const NamedTensors& source,
          const std::filesystem::path& from) {
  const Share share = share_of(network, copy_fitting(named_state(network), source));
  if (share.copied == 0) {
    throw ConfigError(
        "training.resume_weights: no parameter has the name and shape of one of this model: " +
        std::string(file) + " of " + from.string());
  }
  const bool is_little = share.copied < share.left;
  const auto report = is_little ? log::warning : log::info;
  report(is_little ? "Loaded fewer than half of the weights from another run"
                   : "Loaded weights from another run",
         {{"from", from}, {"network", file}, {"tensors", share.copied}, {"left_new", share.left}});
}

}  // namespace

void transfer_weights(Replica& replica, const std::filesystem::path& from) {
  const checkpoint::Snapshot snapshot = read_snapshot(from);
  std::vector<std::pair<const char*, const torch::nn::Module*>> networks = {
      {"generator", &replica.generator()},
      {"discriminator", &replica.discriminator()},
      {"generator_ema", &replica.generator_ema()}};
  for (const OtherAverage& other : replica.average().others()) {
    networks.emplace_back("generator_ema", other.generator.get());
  }
  for (const auto& [file, network] : networks) {
    const auto source = snapshot.files.find(file);
    if (source == snapshot.files.end())
      throw DataError("the checkpoint lacks a file: " + std::string(file) + ": " + from.string());
    take(file, *network, source->second, from);
  }
}

}  // namespace ganscale::training
