#include "classifier.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/loader/shard_plan.h"
#include "kernels/counter_random/counter_random.h"
#include "optim/rules/adam.h"

namespace ganscale::features {
namespace {

constexpr std::int64_t kBatch = 128;
constexpr double kLearningRate = 3e-3;

at::Tensor initial_weight(std::uint64_t seed, std::uint32_t site,
                          const std::vector<std::int64_t>& shape) {
  auto weight = kernels::random_normal({.seed = seed}, Stream::kInitialWeights, site, shape,
                                       at::TensorOptions(at::kFloat));
  const auto fan_in = static_cast<double>(weight[0].numel());
  weight.mul_(std::sqrt(2 / fan_in));  // He et al. 2015, Equation (10)
  return weight.requires_grad_();
}

std::string layer_name(std::size_t index) { return "conv" + std::to_string(index + 1); }

at::Tensor initial_bias(std::int64_t channels) { return at::zeros({channels}).requires_grad_(); }

double score_of_all(const at::Tensor& log_probabilities) {
  const auto p = log_probabilities.exp();
  const auto log_marginal = p.mean(0, /*keepdim=*/true).clamp_min(1e-300).log();
  const auto divergence = (p * (log_probabilities - log_marginal)).sum(1);
  return std::exp(divergence.mean().item<double>());
}

}  // namespace

Classifier::Classifier(ClassifierShape shape, std::uint64_t seed)
    : shape_(std::move(shape)), seed_(seed) {
  std::int64_t in = shape_.channels;
  std::int64_t side = kSide;
  for (std::size_t i = 0; i < shape_.widths.size(); ++i) {
    const auto out = shape_.widths[i];
    const auto kernel = i == 0 ? 5 : 3;
    parameters_[layer_name(i) + ".weight"] =
        initial_weight(seed, static_cast<std::uint32_t>(i), {out, in, kernel, kernel});
    parameters_[layer_name(i) + ".bias"] = initial_bias(out);
    in = out;
    side /= 2;
  }
  const auto site = static_cast<std::uint32_t>(shape_.widths.size());
  parameters_["linear.weight"] = initial_weight(seed, site, {shape_.classes, in * side * side});
  parameters_["linear.bias"] = initial_bias(shape_.classes);
}

at::Tensor Classifier::logits(const at::Tensor& images) const {
  auto x = images.to(at::kFloat) / 127.5 - 1;
  for (std::size_t i = 0; i < shape_.widths.size(); ++i) {
    const auto& weight = parameters_.at(layer_name(i) + ".weight");
    const auto padding = weight.size(2) / 2;
    x = at::conv2d(x, weight, parameters_.at(layer_name(i) + ".bias"), 2, padding).relu();
  }
  return at::linear(x.flatten(1), parameters_.at("linear.weight"), parameters_.at("linear.bias"));
}

void Classifier::train(const LabeledImages& data, int epochs, Augmentation augmentation) {
  const ganscale::data::ShardPlan plan(data.images.size(0), seed_, /*shuffle=*/true);
  optim::Adam adam(parameters_, {});
  const std::int64_t steps = epochs * plan.record_count() / kBatch;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<std::int64_t> records;
    for (std::int64_t i = 0; i < kBatch; ++i) records.push_back(plan.record_at(step * kBatch + i));
    const auto index = at::tensor(records);
    auto images = data.images.index_select(0, index);
    if (augmentation == Augmentation::kMirrorAndShift) {
      images = mirrored_and_shifted(images, {.seed = seed_, .first_image = step * kBatch});
    }
    const auto loss = at::cross_entropy_loss(logits(images), data.labels.index_select(0, index));
    for (auto& [name, parameter] : parameters_) parameter.mutable_grad().reset();
    loss.backward();
    adam.step(kLearningRate * (1 - static_cast<double>(step) / static_cast<double>(steps)));
  }
}

void Classifier::save(const std::filesystem::path& file) const {
  torch::jit::Module module("__torch__.Classifier");
  for (const auto& [name, parameter] : parameters_) {
    auto attribute = name;
    std::ranges::replace(attribute, '.', '_');
    module.register_parameter(attribute, parameter.detach(), /*is_buffer=*/false);
  }
  std::string code = "def forward(self, x):\n  x = x / 127.5 - 1\n";
  for (std::size_t i = 0; i < shape_.widths.size(); ++i) {
    const auto name = layer_name(i);
    const std::string padding = i == 0 ? "[2, 2]" : "[1, 1]";
    code += "  x = torch.relu(torch.conv2d(x, self." + name + "_weight, self." + name +
            "_bias, [2, 2], " + padding + "))\n";
  }
  code +=
      "  features = torch.avg_pool2d(x, [4, 4]).flatten(1)\n"
      "  return features, torch.linear(x.flatten(1), self.linear_weight, self.linear_bias)\n";
  module.define(code);
  module.save(file.string());
}

at::Tensor Classifier::log_probabilities(const at::Tensor& images) const {
  const c10::InferenceMode no_graph;
  std::vector<at::Tensor> parts;
  for (const auto& part : images.split(500)) {
    parts.push_back(at::log_softmax(logits(part).to(at::kDouble), 1));
  }
  return at::cat(parts);
}

double accuracy(const at::Tensor& log_probabilities, const at::Tensor& labels) {
  return log_probabilities.argmax(1).eq(labels).to(at::kDouble).mean().item<double>();
}

double inception_score(const at::Tensor& log_probabilities, std::int64_t splits) {
  double sum = 0;
  for (std::int64_t first = 0; first < splits; ++first) {
    sum += score_of_all(log_probabilities.slice(0, first, std::nullopt, splits));
  }
  return sum / static_cast<double>(splits);
}

}  // namespace ganscale::features
