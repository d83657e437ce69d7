#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/contract/networks.h"

namespace ganscale::models {

/// Writes a generator as a TorchScript module. In Python torch.jit.load(file)(z), or (z, labels)
/// for a conditional one, returns the images of eval mode, for any batch size; that of a bundle
/// raises for a label without a generator. Parameters and buffers keep their names.
///
/// generator: on the CPU; its mode and weights stay as they are.
/// metadata:  extra files of the module; in Python torch.jit.load(file, _extra_files={name: ""}).
/// Throws:    DataError with the file if it can't be written.
void save_torchscript(Generator& generator, const std::filesystem::path& file,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace ganscale::models
