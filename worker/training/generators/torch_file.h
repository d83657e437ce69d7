#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tensors/named_tensors.h"

namespace ganscale::training {

/// What a file of torch.save() holds, by dotted paths: {"G": {"conv.weight": t}} has G.conv.weight.
struct TorchFile {
  NamedTensors tensors;             ///< on the CPU; views, which may share memory as in the file
  std::vector<std::string> others;  ///< paths of numbers, texts and None
};

/// Whether a file is to be read by read_torch_file(): it is named .pt or .pth, or is a zip archive.
/// Throws: DataError if it can't be read.
bool is_torch_file(const std::filesystem::path& file);

/// Reads a file of torch.save(), such as a state_dict() or a dict of several, without Python: its
/// pickle may have tensors and plain values only (pickle::unpickle()).
///
/// Throws: DataError with the file and the reason: not such a file, truncated, damaged, compressed,
///         big endian; a class or function, by its name; a storage that is missing or of another
///         size than the pickle says.
TorchFile read_torch_file(const std::filesystem::path& file);

}  // namespace ganscale::training
