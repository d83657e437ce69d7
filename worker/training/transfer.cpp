#include "training/transfer.h"

#include <ATen/core/grad_mode.h>

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

/// Copies what fits; returns how many tensors that were.
std::size_t copy_fitting(const NamedTensors& target, const NamedTensors& source) {
  const at::NoGradGuard no_grad;
  std::size_t copied_count = 0;
  for (const auto& [name, tensor] : target) {
    const auto found = source.find(name);
    if (found == source.end() || found->second.sizes() != tensor.sizes()) continue;
    tensor.copy_(found->second);
    ++copied_count;
  }
  return copied_count;
}

}  // namespace

void transfer_weights(Replica& replica, const std::filesystem::path& from) {
  const checkpoint::Snapshot snapshot = read_snapshot(from);
  const auto state = replica.state();
  for (const char* file : {"generator", "discriminator", "generator_ema"}) {
    const auto source = snapshot.files.find(file);
    if (source == snapshot.files.end())
      throw DataError("the checkpoint lacks a file: " + std::string(file) + ": " + from.string());
    const NamedTensors& target = state.at(file);
    const auto copied_count = copy_fitting(target, source->second);
    if (copied_count == 0) {
      throw ConfigError(
          "training.resume_weights: no tensor has the name and shape of one of this model: " +
          std::string(file) + " of " + from.string());
    }
    log::info("Took weights of another run", {{"from", from},
                                              {"network", file},
                                              {"tensors", copied_count},
                                              {"left_new", target.size() - copied_count}});
  }
}

}  // namespace ganscale::training
