#include <vector>

#include "kernels/weight_energies/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class WeightEnergiesOnHost : public KernelOnHost {};

// One has more pairs of channels than its blocks have threads.
TEST_P(WeightEnergiesOnHost, AndTheirGradientsMatchEachWeight) {
  const int large = host_grid::is_slow() ? 600 : 70'000;
  const std::vector<at::Tensor> weights = {numbers({300, 9}), numbers({7, 1}), numbers({large, 1}),
                                           numbers({0, 9})};
  std::vector<at::Tensor> energies;
  std::vector<at::Tensor> of_weights;
  std::vector<EnergyArrays> values;
  std::vector<EnergyArrays> gradients;
  const auto gradient = numbers({large});
  for (const auto& weight : weights) {
    energies.push_back(at::full({weight.size(0)}, -77, weight.options()));
    of_weights.push_back(at::full_like(weight, -77));
    EnergyArrays arrays{.out = energies.back().mutable_data_ptr(),
                        .weight = weight.const_data_ptr(),
                        .pair_count = static_cast<std::int32_t>(weight.size(0)),
                        .taps = static_cast<std::int32_t>(weight.size(1))};
    values.push_back(arrays);
    arrays.out = of_weights.back().mutable_data_ptr();
    arrays.gradient = gradient.const_data_ptr();
    gradients.push_back(arrays);
  }
  weight_energies_kernel(values, GetParam().type, nullptr);
  weight_energies_kernel(gradients, GetParam().type, nullptr);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_close(energies[i], weights[i].square().sum(1));
    const auto factors = gradient.slice(0, 0, weights[i].size(0)).unsqueeze(1);
    expect_close(of_weights[i], 2 * weights[i] * factors);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WeightEnergiesOnHost, testing::Values(kFloat32, kFloat64),
                         name_of_type);

}  // namespace
}  // namespace ganscale::kernels
