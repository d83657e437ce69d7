#include "models/stylegan/initial_weights.h"

#include "models/layers/initial_weights.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan {

void initialize_weights(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  for (const auto& [name, tensor] : named_parameters(module)) {
    if (!name.ends_with("weight")) continue;
    const bool is_mapping_layer = name.find("mapping.fc") != std::string::npos;
    draw_normal(tensor, seed, std::string(network) + "." + name, 0, is_mapping_layer ? 100 : 1);
  }
}

}  // namespace ganscale::models::stylegan
