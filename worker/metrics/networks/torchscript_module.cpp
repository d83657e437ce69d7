#include "metrics/networks/torchscript_module.h"

#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

#include "base/error.h"
#include "files/atomic_file.h"

namespace ganscale::metrics {
namespace {

/// Returns the last line, which has the error message; TorchScript prints the code above it.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.rfind('\n') + 1);
}

[[noreturn]] void refuse_images(const std::string& why) {
  throw DataError("the network does not take these images: " + last_line(why));
}

}  // namespace

torch::jit::Module load_torchscript(const std::filesystem::path& file, at::Device device,
                                    const std::string& refusal) {
  // Not by TorchScript, which says of storage that fails that the file is no module.
  std::istringstream bytes(files::read_file(file));
  try {
    auto module = torch::jit::load(bytes, device);
    module.eval();
    for (at::Tensor parameter : module.parameters()) parameter.set_requires_grad(false);
    return module;
  } catch (const std::exception&) {
    throw ConfigError(refusal + ": " + file.string());
  }
}

bool has_argument(const torch::jit::Module& module, const char* name) {
  return module.get_method("forward")
      .function()
      .getSchema()
      .argumentIndexWithName(name)
      .has_value();
}

at::IValue call(torch::jit::Module& module, const at::Tensor& images,
                const std::unordered_map<std::string, at::IValue>& options) {
  try {
    return module.forward({images}, options);
  } catch (const c10::Error& error) {
    refuse_images(error.what_without_backtrace());
  } catch (const std::exception& error) {
    refuse_images(error.what());
  }
}

}  // namespace ganscale::metrics
