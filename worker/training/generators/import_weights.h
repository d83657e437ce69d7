#pragma once

#include <filesystem>

#include "training/run/run_config.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

/// Creates a run folder with one checkpoint, of 0 images seen, from public weights: to generate
/// images, to evaluate, or for transfer learning.
///
/// from:   a safetensors file of the public_weights of a model: tensors G.*, D.* and G_ema.*, and
///         in its metadata their kind, channels, label_count and the keys of the section `model`.
/// Throws: DataError for another file, or tensors that the networks do not have; ConfigError for a
///         run folder that is in use.
void import_weights(const std::filesystem::path& from, const RunFolder& run);

/// Creates such a run folder from weights that do not say what they are of.
///
/// from:   a file of torch.save() (read_torch_file()) or safetensors, with tensors G.*, G_ema.* and
///         D.*, or those of a generator alone. Of G and G_ema, the one that is missing is the
///         other. Without a discriminator, its weights are initialized; a warning says so, and what
///         else the file has.
/// config: of the networks, with channels and label_count.
/// named:  where it names the model, for errors.
/// Throws: as above.
void import_weights(const std::filesystem::path& from, const RunConfig& config,
                    const config::Location& named, const RunFolder& run);

}  // namespace ganscale::training
