#include "digit_classifier.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"
#include "data/formats/file_bytes.h"
#include "data/image/decode.h"
#include "data/loader/shard_plan.h"
#include "data/sources/idx_source.h"
#include "kernels/counter_random/counter_random.h"
#include "optim/adam.h"

namespace ganscale::mnist {
namespace {

constexpr int kSide = 32;
constexpr std::int64_t kPixels = kSide * kSide;
constexpr std::int64_t kDigits = 10;
constexpr std::int64_t kBatch = 128;
constexpr double kLearningRate = 3e-3;

const data::DecodePolicy kPolicy{.channels = 1, .resolution = kSide, .fit = data::Fit::kPad};

std::span<std::uint8_t> row(at::Tensor& images, std::int64_t index) {
  return {images.mutable_data_ptr<std::uint8_t>() + index * kPixels, kPixels};
}

at::Tensor initial_weight(std::uint64_t seed, std::uint32_t site,
                          const std::vector<std::int64_t>& shape) {
  auto weight = kernels::random_normal({.seed = seed}, Stream::kInitialWeights, site, shape,
                                       at::TensorOptions(at::kFloat));
  const auto fan_in = static_cast<double>(weight[0].numel());
  weight.mul_(std::sqrt(2 / fan_in));  // He et al. 2015, Equation (10)
  return weight.requires_grad_();
}

at::Tensor initial_bias(std::int64_t channels) { return at::zeros({channels}).requires_grad_(); }

}  // namespace

Digits read_digits(const std::filesystem::path& images_file) {
  const auto source = data::open_idx(images_file);
  Digits digits{at::empty({source->record_count(), 1, kSide, kSide}, at::kByte),
                at::empty({source->record_count()}, at::kLong)};
  data::Record record;
  auto* labels = digits.labels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < source->record_count(); ++i) {
    source->read(i, record);
    data::decode_into(record, kPolicy, row(digits.images, i));
    labels[i] = record.label;
  }
  return digits;
}

at::Tensor read_images(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".png") files.push_back(entry.path());
  }
  if (files.empty()) throw DataError("no PNG file in folder: " + folder.string());
  std::ranges::sort(files);
  auto images = at::empty({static_cast<std::int64_t>(files.size()), 1, kSide, kSide}, at::kByte);
  for (std::size_t i = 0; i < files.size(); ++i) {
    data::Record record;
    record.encoding = data::Encoding::kPng;
    record.buffer = data::read_file(files[i]);
    record.bytes = record.buffer;
    try {
      data::decode_into(record, kPolicy, row(images, static_cast<std::int64_t>(i)));
    } catch (const DataError& error) {
      throw DataError(files[i].string() + ": " + error.what());
    }
  }
  return images;
}

DigitClassifier::DigitClassifier(std::uint64_t seed)
    : seed_(seed),
      parameters_{{"conv1.weight", initial_weight(seed, 0, {16, 1, 5, 5})},
                  {"conv1.bias", initial_bias(16)},
                  {"conv2.weight", initial_weight(seed, 1, {32, 16, 3, 3})},
                  {"conv2.bias", initial_bias(32)},
                  {"linear.weight", initial_weight(seed, 2, {kDigits, 32 * 8 * 8})},
                  {"linear.bias", initial_bias(kDigits)}} {}

at::Tensor DigitClassifier::logits(const at::Tensor& images) const {
  auto x = images.to(at::kFloat) / 127.5 - 1;
  for (const std::string layer : {"conv1", "conv2"}) {
    const auto& weight = parameters_.at(layer + ".weight");
    const auto padding = weight.size(2) / 2;
    x = at::conv2d(x, weight, parameters_.at(layer + ".bias"), 2, padding).relu();  // 32 → 16 → 8
  }
  return at::linear(x.flatten(1), parameters_.at("linear.weight"), parameters_.at("linear.bias"));
}

void DigitClassifier::train(const Digits& digits, int epochs) {
  const data::ShardPlan plan(digits.images.size(0), seed_, /*shuffle=*/true);
  optim::Adam adam(parameters_, {});
  const std::int64_t steps = epochs * plan.record_count() / kBatch;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<std::int64_t> records;
    for (std::int64_t i = 0; i < kBatch; ++i) records.push_back(plan.record_at(step * kBatch + i));
    const auto index = at::tensor(records);
    const auto loss = at::cross_entropy_loss(logits(digits.images.index_select(0, index)),
                                             digits.labels.index_select(0, index));
    for (auto& [name, parameter] : parameters_) parameter.mutable_grad().reset();
    loss.backward();
    adam.step(kLearningRate * (1 - static_cast<double>(step) / static_cast<double>(steps)));
  }
}

void DigitClassifier::save(const std::filesystem::path& file) const {
  torch::jit::Module module("__torch__.DigitClassifier");
  for (const auto& [name, parameter] : parameters_) {
    auto attribute = name;
    std::ranges::replace(attribute, '.', '_');
    module.register_parameter(attribute, parameter.detach(), /*is_buffer=*/false);
  }
  module.define(
      "def forward(self, x):\n"
      "  x = x / 127.5 - 1\n"
      "  x = torch.relu(torch.conv2d(x, self.conv1_weight, self.conv1_bias, [2, 2], [2, 2]))\n"
      "  x = torch.relu(torch.conv2d(x, self.conv2_weight, self.conv2_bias, [2, 2], [1, 1]))\n"
      "  features = torch.avg_pool2d(x, [4, 4]).flatten(1)\n"
      "  return features, torch.linear(x.flatten(1), self.linear_weight, self.linear_bias)\n");
  module.save(file.string());
}

at::Tensor DigitClassifier::log_probabilities(const at::Tensor& images) const {
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

double digit_score(const at::Tensor& log_probabilities) {
  const auto p = log_probabilities.exp();
  const auto log_marginal = p.mean(0, /*keepdim=*/true).clamp_min(1e-300).log();
  const auto divergence = (p * (log_probabilities - log_marginal)).sum(1);
  return std::exp(divergence.mean().item<double>());
}

}  // namespace ganscale::mnist
