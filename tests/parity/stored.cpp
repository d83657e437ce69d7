#include "parity/stored.h"

#include "base/error.h"

namespace ganscale::parity {

const at::Tensor& stored(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw DataError("the fixture lacks a tensor: " + name);
  return found->second;
}

}  // namespace ganscale::parity
