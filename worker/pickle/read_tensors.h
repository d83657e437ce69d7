#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pickle/tensor_view.h"

namespace ganscale::pickle {

/// The values of a pickle by their dotted paths: {"G": {"conv.weight": t}} has G.conv.weight.
struct Content {
  std::map<std::string, TensorView> tensors;
  std::vector<std::string> others;  ///< paths of numbers, texts and None
};

/// Reads the pickle of a file of torch.save(), as unpickle().
///
/// pickle: must outlive the result, whose keys of storages are in it.
/// Throws: DataError with the reason: as unpickle(); two tensors of one path, a dict whose keys are
///         neither texts nor integers, a value that is nested too deeply or contains itself.
Content read_tensors(std::span<const std::uint8_t> pickle);

}  // namespace ganscale::pickle
