#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "collective/group_claims.h"
#include "comm/collectives/bucketed_gradients.h"
#include "comm/collectives/differentiable_all_reduce.h"
#include "comm/collectives/replicate.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

using torch::autograd::grad;

// Values that differ between elements and are the same on every rank.
at::Tensor pattern(at::IntArrayRef shape) {
  const auto count = c10::multiply_integers(shape);
  return at::arange(count, at::kDouble).mul(0.7).sin().reshape(shape);
}

// A small network of odd sizes: weights and biases in the order of registration.
std::vector<at::Tensor> make_parameters() {
  std::vector<at::Tensor> parameters;
  const std::vector<std::vector<std::int64_t>> shapes{{5, 3}, {5}, {7, 5}, {7}, {1, 7}, {1}};
  for (const auto& shape : shapes) {
    parameters.push_back(pattern(shape).requires_grad_());
  }
  return parameters;
}

at::Tensor loss_of(const std::vector<at::Tensor>& p, const at::Tensor& input) {
  const auto first = (input.matmul(p[0].t()) + p[1]).tanh();
  const auto second = (first.matmul(p[2].t()) + p[3]).tanh();
  return (second.matmul(p[4].t()) + p[5]).square().mean();
}

at::Tensor own_input(const Group& group) { return pattern({4, 3}) * (group.rank() + 1); }

std::vector<at::Tensor> plain_means(Group& group) {
  const auto parameters = make_parameters();
  auto gradients = grad({loss_of(parameters, own_input(group))}, parameters);
  for (auto& gradient : gradients) {
    gradient = gradient.contiguous();
    group.all_reduce_sum(gradient);
    gradient = gradient / group.size();
  }
  return gradients;
}

void expect_close(const at::Tensor& one, const at::Tensor& other) {
  EXPECT_TRUE(at::allclose(one, other, 1e-12, 1e-12)) << one << " and " << other;
}

void buckets_equal_the_plain_mean(Group& group) {
  const auto expected = plain_means(group);
  for (const std::int64_t bucket_bytes : {1, 300, 25'000'000}) {
    const auto parameters = make_parameters();
    BucketedGradients gradients(parameters, group, bucket_bytes);
    for (int step = 0; step < 2; ++step) {
      gradients.clear();
      gradients.begin();
      gradients.backward(loss_of(parameters, own_input(group)));
      gradients.finish();
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        expect_close(parameters[i].grad(), expected[i]);
      }
    }
  }
}

void a_small_limit_gives_each_parameter_a_bucket(Group& group) {
  const auto parameters = make_parameters();
  EXPECT_EQ(BucketedGradients(parameters, group, 1).buckets().size(), parameters.size());
  EXPECT_EQ(BucketedGradients(parameters, group, 25'000'000).buckets().size(), 1U);
}

void gradients_are_views_of_their_buckets(Group& group) {
  const std::vector<at::Tensor> parameters{
      pattern({2, 3}).requires_grad_(),
      pattern({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_(),
      pattern({3}).to(at::kFloat).requires_grad_()};
  const BucketedGradients gradients(parameters, group, 25'000'000);
  ASSERT_EQ(gradients.buckets().size(), 2U);  // the dtypes do not mix
  EXPECT_TRUE(parameters[2].grad().is_alias_of(gradients.buckets()[0]));
  EXPECT_TRUE(parameters[0].grad().is_alias_of(gradients.buckets()[1]));
  EXPECT_EQ(parameters[1].grad().strides(), parameters[1].strides());
}

void a_parameter_that_the_phase_does_not_reach_has_gradient_zero(Group& group) {
  const auto parameters = make_parameters();
  BucketedGradients gradients(parameters, group, 1);
  for (const auto& bucket : gradients.buckets()) bucket.fill_(1);
  gradients.clear();
  gradients.begin();
  gradients.backward(parameters[0].square().sum() * group.rank() + parameters[5].sum());
  gradients.finish();
  expect_close(parameters[0].grad(), parameters[0].detach() * (group.size() - 1));
  expect_close(parameters[5].grad(), at::ones({1}, at::kDouble));
  for (int unreached = 1; unreached < 5; ++unreached) {
    EXPECT_EQ(parameters[static_cast<std::size_t>(unreached)].grad().abs().max().item<double>(), 0);
  }
}

void ranks_may_reach_parameters_in_any_order(Group& group) {
  const auto parameters = make_parameters();
  BucketedGradients gradients(parameters, group, 1);
  gradients.begin();
  auto order = parameters;
  if (group.rank() % 2 == 1) std::reverse(order.begin(), order.end());
  at::Tensor chain = at::ones({}, at::kDouble);
  for (const auto& parameter : order) chain = chain + parameter.sum() * (group.rank() + 1);
  gradients.backward(chain);
  gradients.finish();
  for (const auto& parameter : parameters) {
    expect_close(parameter.grad(), at::full_like(parameter.grad(), (group.size() + 1) / 2.0));
  }
}

void gradients_of_several_backward_passes_add_up(Group& group) {
  const auto parameters = make_parameters();
  const auto expected = plain_means(group);
  BucketedGradients gradients(parameters, group, 300);
  gradients.clear();
  gradients.backward(loss_of(parameters, own_input(group)));
  gradients.begin();
  gradients.backward(loss_of(parameters, own_input(group)));
  gradients.finish();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    expect_close(parameters[i].grad(), expected[i] * 2);
  }
}

void a_gradient_after_its_bucket_was_sent_is_a_bug(Group& group) {
  const auto parameters = make_parameters();
  BucketedGradients gradients(parameters, group, 1);
  gradients.begin();
  gradients.backward(loss_of(parameters, own_input(group)));
  expect_error(ExitCode::kBug, "second gradient",
               [&] { gradients.backward(loss_of(parameters, own_input(group))); });
  gradients.finish();
}

void a_gradient_of_another_layout_is_laid_out_as_its_parameter(Group& group) {
  const std::vector<at::Tensor> parameters{
      pattern({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_()};
  const at::Tensor factors = pattern({2, 3, 4, 4});
  BucketedGradients gradients(parameters, group, 300);
  gradients.clear();
  gradients.begin();
  gradients.backward((parameters[0] * factors).sum());
  gradients.finish();
  expect_close(parameters[0].grad(), factors);
  EXPECT_EQ(parameters[0].grad().strides(), parameters[0].strides());
  EXPECT_TRUE(parameters[0].grad().is_alias_of(gradients.buckets()[0]));
}

void a_parameter_belongs_to_one_set_of_buckets(Group& group) {
  const auto parameters = make_parameters();
  {
    const BucketedGradients gradients(parameters, group, 300);
    expect_error(ExitCode::kBug, "two sets",
                 [&] { BucketedGradients({parameters[0]}, group, 300); });
  }
  EXPECT_FALSE(parameters[0].grad().defined());
  const BucketedGradients again(parameters, group, 300);
  EXPECT_TRUE(parameters[0].grad().defined());
}

// S = x_0 + ... + x_(n-1), L_r = (r + 1) S^2: all losses together have d/dx = 2 c S with
// c = 1 + ... + n. Every rank then derives that, n ranks together: 2 c n.
void the_differentiable_sum_has_the_derivatives_of_all_losses(Group& group) {
  const auto x = at::full({}, group.rank() + 0.5, at::kDouble).requires_grad_();
  const int n = group.size();
  const double c = n * (n + 1) / 2.0;
  const double sum = n * n / 2.0;
  const auto total = differentiable_all_reduce(group, x);
  EXPECT_DOUBLE_EQ(total.item<double>(), sum);
  const auto loss = total.square() * (group.rank() + 1);
  const auto first = grad({loss}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  EXPECT_DOUBLE_EQ(first.item<double>(), 2 * c * sum);
  EXPECT_DOUBLE_EQ(grad({first}, {x})[0].item<double>(), 2 * c * n);
}

at::Tensor normalized(const at::Tensor& x, double count, Group* group) {
  const auto total = [&](const at::Tensor& data) {
    const auto sum = data.sum(0, /*keepdim=*/true);
    return (group != nullptr ? differentiable_all_reduce(*group, sum) : sum) / count;
  };
  const auto centered = x - total(x);
  return centered / (total(centered.square()) + 0.8).sqrt();
}

void synchronized_moments_equal_those_of_the_whole_batch(Group& group) {
  const int per_rank = 3;
  const double count = per_rank * group.size();
  const auto whole = (pattern({per_rank * group.size(), 2}) * 2).requires_grad_();
  const auto part = whole.detach().narrow(0, per_rank * group.rank(), per_rank).requires_grad_();
  const auto expected = normalized(whole, count, nullptr);
  const auto actual = normalized(part, count, &group);
  expect_close(actual, expected.narrow(0, per_rank * group.rank(), per_rank));
  const auto expected_gradient = grad({expected.pow(3).sum()}, {whole})[0];
  const auto gradient = grad({actual.pow(3).sum()}, {part})[0];
  expect_close(gradient, expected_gradient.narrow(0, per_rank * group.rank(), per_rank));
}

void rank_0_gives_its_whole_state(Group& group) {
  for (const std::int64_t chunk_bytes : {1, 100, 25'000'000}) {
    const double scale = group.rank() == 0 ? 1 : -3;
    const NamedTensors state{{"bias", (pattern({4}) * scale).requires_grad_()},
                             {"count", at::full({}, scale, at::kLong)},
                             {"empty", at::empty({0}, at::kDouble)},
                             {"transposed", (pattern({3, 5}) * scale).t()},
                             {"weight", (pattern({3, 5}) * scale).to(at::kFloat)}};
    broadcast_from_rank_0(group, state, chunk_bytes);
    expect_close(state.at("bias").detach(), pattern({4}));
    EXPECT_EQ(state.at("count").item<std::int64_t>(), 1);
    expect_close(state.at("transposed"), pattern({3, 5}).t());
    EXPECT_TRUE(at::equal(state.at("weight"), pattern({3, 5}).to(at::kFloat)));
  }
}

void a_state_arrives_as_it_was_sent(Group& group) {
  for (const std::int64_t chunk_bytes : {1, 100, 25'000'000}) {
    const double scale = group.rank() == 0 ? 1 : -3;
    const NamedTensors state{{"bias", (pattern({4}) * scale).requires_grad_()},
                             {"count", at::full({}, scale, at::kLong)},
                             {"transposed", (pattern({3, 5}) * scale).t()}};
    if (group.rank() == 0) {
      for (int rank = 1; rank < group.size(); ++rank) send_state(group, state, rank, chunk_bytes);
      state.at("bias").detach().zero_();
      group.wait();
    } else {
      receive_state(group, state, 0, chunk_bytes);
      expect_close(state.at("bias").detach(), pattern({4}));
      EXPECT_EQ(state.at("count").item<std::int64_t>(), 1);
      expect_close(state.at("transposed"), pattern({3, 5}).t());
    }
  }
}

void an_average_leaves_counters_alone(Group& group) {
  const NamedTensors state{{"running_mean", at::full({3}, group.rank(), at::kDouble)},
                           {"seen", at::full({}, group.rank(), at::kLong)}};
  all_reduce_mean(group, state, 25'000'000);
  expect_close(state.at("running_mean"), at::full({3}, (group.size() - 1) / 2.0, at::kDouble));
  EXPECT_EQ(state.at("seen").item<std::int64_t>(), group.rank());
}

}  // namespace

std::vector<GroupClaim> gradient_claims() {
  return {
      {"BucketsEqualThePlainMean", buckets_equal_the_plain_mean},
      {"ASmallLimitGivesEachParameterABucket", a_small_limit_gives_each_parameter_a_bucket},
      {"GradientsAreViewsOfTheirBuckets", gradients_are_views_of_their_buckets},
      {"AParameterThatThePhaseDoesNotReachHasGradientZero",
       a_parameter_that_the_phase_does_not_reach_has_gradient_zero},
      {"RanksMayReachParametersInAnyOrder", ranks_may_reach_parameters_in_any_order},
      {"GradientsOfSeveralBackwardPassesAddUp", gradients_of_several_backward_passes_add_up},
      {"AGradientAfterItsBucketWasSentIsABug", a_gradient_after_its_bucket_was_sent_is_a_bug},
      {"AGradientOfAnotherLayoutIsLaidOutAsItsParameter",
       a_gradient_of_another_layout_is_laid_out_as_its_parameter},
      {"AParameterBelongsToOneSetOfBuckets", a_parameter_belongs_to_one_set_of_buckets},
      {"TheDifferentiableSumHasTheDerivativesOfAllLosses",
       the_differentiable_sum_has_the_derivatives_of_all_losses},
      {"SynchronizedMomentsEqualTheWholeBatch",
       synchronized_moments_equal_those_of_the_whole_batch},
      {"Rank0GivesItsWholeState", rank_0_gives_its_whole_state},
      {"AStateArrivesAsItWasSent", a_state_arrives_as_it_was_sent},
      {"AnAverageLeavesCountersAlone", an_average_leaves_counters_alone},
  };
}

}  // namespace ganscale::comm
