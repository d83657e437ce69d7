#include "models/stylegan/mapped_generator.h"

#include <ATen/core/grad_mode.h>

#include "models/stylegan/truncated_styles.h"

namespace ganscale::models::stylegan {

MappedGenerator::MappedGenerator(ImageShape image, const MappingOptions& mapping, int w_count)
    : StyleGenerator(image, mapping.z_dim, mapping.label_count),
      w_count_(w_count),
      mapping_(register_module("mapping", std::make_shared<Mapping>(mapping))) {}

at::Tensor MappedGenerator::map(const at::Tensor& z, const at::Tensor& labels,
                                const Truncation& truncation) {
  return truncated_styles(mapping_->forward(z, labels), mapping_->average(), w_count_, truncation);
}

Latents MappedGenerator::draw(const at::Tensor& z, const at::Tensor& labels,
                              RandomStream& /*random*/) {
  return {.z = z, .labels = labels};
}

NamedTensors MappedGenerator::moving_statistics() {
  return {{"mapping.w_avg", mapping_->average()}};
}

void MappedGenerator::prepare_weights() {
  const at::NoGradGuard no_grad;
  mapping_->layer_parameters(mapping_->average().scalar_type());
}

}  // namespace ganscale::models::stylegan
