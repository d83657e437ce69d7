#include "kernels/multi_tensor_adam/multi_tensor_adam.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/adam_case.h"
#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

constexpr AdamRule kRule{.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3};
constexpr double kAverageBeta = 0.75;

/// One element, nothing, many that fill no vector, and more than one thread's part.
const std::vector<std::vector<std::int64_t>> kShapes = {{}, {0, 3}, {7}, {3, 5, 2}, {2, 8195}};

/// Parameter, moments and average of entry i after the update, by the paper's Algorithm 1.
std::vector<at::Tensor> by_the_paper(const AdamTensors& in, std::size_t i, const AdamRule& rule) {
  const double step = in.steps[i].item<double>();
  at::Tensor theta = in.parameters[i].clone();
  at::Tensor g = in.gradients[i].clone();
  if (rule.decoupled) theta = theta - rule.learning_rate * rule.weight_decay * theta;
  if (!rule.decoupled) g = g + rule.weight_decay * theta;
  const at::Tensor m = rule.beta1 * in.first_moments[i] + (1 - rule.beta1) * g;
  const at::Tensor v = rule.beta2 * in.second_moments[i] + (1 - rule.beta2) * g * g;
  const at::Tensor m_hat = m / (1 - std::pow(rule.beta1, step));
  const at::Tensor v_hat = v / (1 - std::pow(rule.beta2, step));
  theta = theta - rule.learning_rate * m_hat / (v_hat.sqrt() + rule.epsilon);
  return {theta, m, v, kAverageBeta * in.averages[i] + (1 - kAverageBeta) * theta};
}

void expect_as_in_the_paper(const AdamRule& rule) {
  const AdamTensors tensors = adam_case(kShapes, at::kDouble);
  std::vector<std::vector<at::Tensor>> expected;
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    expected.push_back(by_the_paper(tensors, i, rule));
  }
  multi_tensor_adam(tensors, rule, kAverageBeta);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(at::allclose(tensors.parameters[i], expected[i][0], 1e-13, 1e-13)) << i;
    EXPECT_TRUE(at::allclose(tensors.first_moments[i], expected[i][1], 1e-13, 1e-13)) << i;
    EXPECT_TRUE(at::allclose(tensors.second_moments[i], expected[i][2], 1e-13, 1e-13)) << i;
    EXPECT_TRUE(at::allclose(tensors.averages[i], expected[i][3], 1e-13, 1e-13)) << i;
  }
}

TEST(MultiTensorAdam, IsThePapersAlgorithmForEachParameter) { expect_as_in_the_paper(kRule); }

TEST(MultiTensorAdam, MovesOnlyAveragesInASkippedUpdate) {
  AdamTensors tensors = adam_case(kShapes, at::kDouble);
  const AdamTensors before = adam_case(kShapes, at::kDouble);
  tensors.skip = at::ones({});
  multi_tensor_adam(tensors, kRule, kAverageBeta);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(tensors.parameters[i].equal(before.parameters[i]));
    EXPECT_TRUE(tensors.first_moments[i].equal(before.first_moments[i]));
    EXPECT_TRUE(tensors.second_moments[i].equal(before.second_moments[i]));
    EXPECT_TRUE(at::allclose(tensors.averages[i], kAverageBeta * before.averages[i] +
                                                      (1 - kAverageBeta) * before.parameters[i]));
  }
  AdamTensors updated = adam_case(kShapes, at::kDouble);
  updated.skip = at::zeros({});
  multi_tensor_adam(updated, kRule, kAverageBeta);
  const AdamTensors plain = adam_case(kShapes, at::kDouble);
  multi_tensor_adam(plain, kRule, kAverageBeta);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(updated.parameters[i].equal(plain.parameters[i]));
  }
}

TEST(MultiTensorAdam, DecaysInTheGradientOrApart) {
  AdamRule rule = kRule;
  rule.weight_decay = 0.2;
  expect_as_in_the_paper(rule);
  rule.decoupled = true;
  expect_as_in_the_paper(rule);
}

TEST(MultiTensorAdam, InSinglePrecisionIsTheSameWithinItsRounding) {
  const AdamTensors narrow = adam_case(kShapes, at::kFloat);
  const AdamTensors wide = adam_case(kShapes, at::kDouble);
  multi_tensor_adam(narrow, kRule, kAverageBeta);
  multi_tensor_adam(wide, kRule, kAverageBeta);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(at::allclose(narrow.averages[i].to(at::kDouble), wide.averages[i], 1e-5, 1e-5));
  }
}

TEST(MultiTensorAdam, WithoutAveragesUpdatesAlike) {
  const AdamTensors with = adam_case(kShapes, at::kFloat);
  AdamTensors without = adam_case(kShapes, at::kFloat);
  without.averages.clear();
  multi_tensor_adam(with, kRule, kAverageBeta);
  multi_tensor_adam(without, kRule);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(with.parameters[i].equal(without.parameters[i]));
  }
}

TEST(MultiTensorAdam, WithBetaZeroTheAverageIsTheParameter) {
  const AdamTensors tensors = adam_case(kShapes, at::kFloat);
  multi_tensor_adam(tensors, kRule, 0);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(tensors.averages[i].equal(tensors.parameters[i]));
  }
}

TEST(MultiTensorAdam, HasTheSameBitsOnAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  const AdamTensors one = adam_case(kShapes, at::kFloat);
  const AdamTensors three = adam_case(kShapes, at::kFloat);
  at::set_num_threads(1);
  multi_tensor_adam(one, kRule, kAverageBeta);
  at::set_num_threads(3);
  multi_tensor_adam(three, kRule, kAverageBeta);
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    EXPECT_TRUE(one.parameters[i].equal(three.parameters[i]));
    EXPECT_TRUE(one.averages[i].equal(three.averages[i]));
  }
}

TEST(MultiTensorAdam, WalksMemoryInAnyOrderThatAllShare) {
  const AdamTensors rows = adam_case({{2, 3, 4, 5}}, at::kFloat);
  AdamTensors channels_last = adam_case({{2, 3, 4, 5}}, at::kFloat);
  for (auto* list :
       {&channels_last.parameters, &channels_last.gradients, &channels_last.first_moments,
        &channels_last.second_moments, &channels_last.averages}) {
    (*list)[0] = (*list)[0].contiguous(at::MemoryFormat::ChannelsLast);
  }
  multi_tensor_adam(rows, kRule, kAverageBeta);
  multi_tensor_adam(channels_last, kRule, kAverageBeta);
  EXPECT_TRUE(rows.averages[0].equal(channels_last.averages[0]));
}

TEST(MultiTensorAdam, CountsAsAChangeOfParametersAndAverages) {
  const AdamTensors tensors = adam_case({{3}}, at::kFloat);
  const auto versions = [&] {
    return std::pair(tensors.parameters[0]._version(), tensors.averages[0]._version());
  };
  const auto before = versions();
  multi_tensor_adam(tensors, kRule, kAverageBeta);
  EXPECT_GT(versions().first, before.first);
  EXPECT_GT(versions().second, before.second);
}

TEST(MultiTensorAdam, OfNothingDoesNothing) { EXPECT_NO_THROW(multi_tensor_adam({}, kRule)); }

TEST(MultiTensorAdam, RefusesTensorsThatDoNotBelongTogether) {
  AdamTensors strided = adam_case({{4, 6}}, at::kFloat);
  strided.gradients[0] = strided.gradients[0].t().contiguous().t();
  expect_error(ExitCode::kBug, "lie in memory", [&] { multi_tensor_adam(strided, kRule); });
  AdamTensors mixed = adam_case({{4}}, at::kFloat);
  mixed.averages[0] = mixed.averages[0].to(at::kDouble);
  expect_error(ExitCode::kBug, "lie in memory", [&] { multi_tensor_adam(mixed, kRule); });
  AdamTensors sparse = adam_case({{4, 6}}, at::kFloat);
  for (auto* list : {&sparse.parameters, &sparse.gradients, &sparse.first_moments,
                     &sparse.second_moments, &sparse.averages}) {
    (*list)[0] = (*list)[0].slice(1, 0, 6, 2);
  }
  expect_error(ExitCode::kBug, "dense parameters", [&] { multi_tensor_adam(sparse, kRule); });
  AdamTensors short_list = adam_case({{4}, {5}}, at::kFloat);
  short_list.steps.pop_back();
  expect_error(ExitCode::kBug, "as many", [&] { multi_tensor_adam(short_list, kRule); });
  expect_error(ExitCode::kBug, "float32 and float64",
               [] { multi_tensor_adam(adam_case({{4}}, at::kHalf), kRule); });
}

}  // namespace
}  // namespace ganscale::kernels
