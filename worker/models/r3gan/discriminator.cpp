#include "models/r3gan/discriminator.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models::r3gan {

R3ganDiscriminator::R3ganDiscriminator(const NetworkConfig& config)
    : Discriminator({config.channels, config.resolution}, config.label_count), config_(config) {
  const auto model = add<List>(*this, "Model", "Model");
  from_image_ =
      add<Convolution>(*model, "ExtractionLayer", config.channels, config.stages.back().width);
  const auto main = add<List>(*model, "MainLayers", "MainLayers");
  for (std::size_t s = config.stages.size(); s-- > 0;) {
    const Stage& stage = config.stages[s];
    const auto name = std::to_string(stages_.size());
    const auto layers = add<List>(*add<List>(*main, name, name), "Layers", "Layers");
    StageLayers own;
    for (std::int64_t block = 0; block < stage.blocks; ++block)
      own.blocks.push_back(
          add<ResidualBlock>(*layers, std::to_string(block), stage, config.expansion));
    const auto last = std::to_string(stage.blocks);
    if (s == 0) {
      add_last(*layers, last);
    } else {
      own.transition = add<Transition>(*layers, last, stage.width, config.stages[s - 1].width);
    }
    stages_.push_back(std::move(own));
  }
  if (config.label_count == 0) return;
  embedding_ =
      add<List>(*model, "EmbeddingLayer", "EmbeddingLayer")
          ->register_parameter("weight", at::zeros({config.score_label_dim, config.label_count}));
}

void R3ganDiscriminator::add_last(torch::nn::Module& layers, const std::string& name) {
  const std::int64_t width = config_.stages.front().width;
  const std::int64_t outputs = config_.label_count > 0 ? config_.score_label_dim : 1;
  const auto last = add<List>(layers, name, name);
  basis_ = add<List>(*last, "Basis", "Basis")
               ->register_parameter("weight", at::zeros({width, 1, kFirstSize, kFirstSize}));
  weight_ = add<List>(*last, "LinearLayer", "LinearLayer")
                ->register_parameter("weight", at::zeros({outputs, width}));
}

at::Tensor R3ganDiscriminator::forward(const at::Tensor& images, const at::Tensor& labels,
                                       kernels::RandomStream& random) {
  return score_batches(images, labels, 1, random);
}

at::Tensor R3ganDiscriminator::score_batches(const at::Tensor& images, const at::Tensor& labels,
                                             int /*count*/, kernels::RandomStream& /*random*/) {
  const auto dtype = weight_.scalar_type();
  const auto prepared = [&](const at::Tensor& x, std::size_t level) {
    return laid_out(x, config_.compute_type(stages_.size() - 1 - level, dtype), layout());
  };
  at::Tensor x = from_image_->forward(prepared(images, 0));
  for (std::size_t level = 0; level < stages_.size(); ++level) {
    x = prepared(x, level);
    for (const auto& block : stages_[level].blocks) x = block->forward(x);
    if (stages_[level].transition) x = stages_[level].transition->downsampled(x);
  }
  // The convolution has one position.
  const at::Tensor features = (x.to(dtype) * basis_.squeeze(1)).sum({2, 3});
  const at::Tensor scores = multiplied(features, weight_, {}, layout());
  if (!embedding_.defined()) return scores.squeeze(1);
  return (scores * embedded(embedding_, labels)).sum(1);
}

}  // namespace ganscale::models::r3gan
