#include "models/r3gan/networks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

namespace ganscale::models::r3gan {

R3ganGenerator::R3ganGenerator(const NetworkConfig& config)
    : Generator({config.channels, config.resolution}, config.z_dim, config.label_count),
      config_(config) {
  const auto model = add<List>(*this, "Model", "Model");
  if (config.label_count > 0) {
    embedding_ =
        add<List>(*model, "EmbeddingLayer", "EmbeddingLayer")
            ->register_parameter("weight", at::zeros({config.label_dim, config.label_count}));
  }
  const auto main = add<List>(*model, "MainLayers", "MainLayers");
  for (std::size_t s = 0; s < config.stages.size(); ++s) {
    const Stage& stage = config.stages[s];
    const auto name = std::to_string(s);
    const auto layers = add<List>(*add<List>(*main, name, name), "Layers", "Layers");
    StageLayers own;
    if (s == 0) {
      add_first(*layers);
    } else {
      own.transition = add<Transition>(*layers, "0", config.stages[s - 1].width, stage.width);
    }
    for (std::int64_t block = 1; block <= stage.blocks; ++block)
      own.blocks.push_back(
          add<ResidualBlock>(*layers, std::to_string(block), stage, config.expansion));
    stages_.push_back(std::move(own));
  }
  to_image_ =
      add<Convolution>(*model, "AggregationLayer", config.stages.back().width, config.channels);
}

void R3ganGenerator::add_first(torch::nn::Module& layers) {
  const std::int64_t width = config_.stages.front().width;
  const int inputs = config_.z_dim + (config_.label_count > 0 ? config_.label_dim : 0);
  const Resolution size = config_.first_size();
  const auto first = add<List>(layers, "0", "0");
  basis_ = first->register_parameter("Basis", at::zeros({width, size.height, size.width}));
  scales_ = add<List>(*first, "LinearLayer", "LinearLayer")
                ->register_parameter("weight", at::zeros({width, inputs}));
}

at::Tensor R3ganGenerator::forward(const at::Tensor& z, const at::Tensor& labels,
                                   RandomStream& /*random*/) {
  return synthesize(z, labels, Operators::kFused);
}

at::Tensor R3ganGenerator::traceable_forward(const at::Tensor& z, const at::Tensor& labels) {
  return synthesize(z, labels, Operators::kTraceable);
}

at::Tensor R3ganGenerator::synthesize(const at::Tensor& z, const at::Tensor& labels,
                                      Operators operators) {
  const at::Tensor code = embedding_.defined() ? at::cat({z, embedded(embedding_, labels)}, 1) : z;
  const auto dtype = z.scalar_type();
  const bool is_traced = operators == Operators::kTraceable;
  const auto prepared = [&](const at::Tensor& x, std::size_t stage) {
    return is_traced ? x : laid_out(x, config_.compute_type(stage, dtype), layout());
  };
  at::Tensor x = basis_ * multiplied(code, scales_, {}, layout()).unsqueeze(2).unsqueeze(3);
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    x = prepared(x, s);
    if (stages_[s].transition) x = stages_[s].transition->upsampled(x, operators);
    for (const auto& block : stages_[s].blocks) x = block->forward(x, operators);
  }
  return to_image_->forward(x, operators).to(dtype);
}

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
  const Resolution size = config_.first_size();
  const auto last = add<List>(layers, name, name);
  basis_ = add<List>(*last, "Basis", "Basis")
               ->register_parameter("weight", at::zeros({width, 1, size.height, size.width}));
  weight_ = add<List>(*last, "LinearLayer", "LinearLayer")
                ->register_parameter("weight", at::zeros({outputs, width}));
}

at::Tensor R3ganDiscriminator::forward(const at::Tensor& images, const at::Tensor& labels,
                                       RandomStream& /*random*/) {
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
