#pragma once

#include <filesystem>

#include "models/model.h"

namespace ganscale::models {

/// Writes a generator as a TorchScript module: torch.jit.load(file)(z) in Python, or (z, labels)
/// for a conditional one, gives the images of eval mode, for any batch size. Parameters and buffers
/// keep their names.
///
/// generator: on the CPU; its mode and weights stay as they are.
/// Throws:    ConfigError for a model with operators of our own; DataError with the file, if it
/// can't be written.
void save_torchscript(Generator& generator, const std::filesystem::path& file);

}  // namespace ganscale::models
