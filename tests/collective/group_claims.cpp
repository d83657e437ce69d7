#include "collective/group_claims.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace ganscale::comm {
namespace {

// 0 + 1 + ... + (n - 1)
double rank_sum(const Group& group) { return group.size() * (group.size() - 1) / 2.0; }

at::Tensor own_rank(const Group& group, at::IntArrayRef shape, at::ScalarType dtype) {
  return at::full(shape, group.rank(), at::TensorOptions(dtype));
}

void expect_all(const at::Tensor& data, double value) {
  const auto numbers = data.to(at::kDouble);
  EXPECT_TRUE(at::allclose(numbers, at::full_like(numbers, value)))
      << "expected " << value << ", got " << data;
}

void sum_of_a_large_tensor_is_complete(Group& group) {
  const std::int64_t element_count = 3'000'001;
  const auto ramp = at::arange(element_count, at::kDouble);
  const auto data = ramp * (group.rank() + 1);
  group.all_reduce_async(data);
  group.wait();
  EXPECT_TRUE(at::allclose(data, ramp * (group.size() * (group.size() + 1) / 2.0)));
}

void many_sums_may_overlap(Group& group) {
  std::vector<at::Tensor> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(own_rank(group, {100 + i}, at::kFloat) + i);
    group.all_reduce_async(all.back());
  }
  group.wait();
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_all(all[i], static_cast<double>(i) * group.size() + rank_sum(group));
  }
}

void operations_happen_in_the_order_of_the_calls(Group& group) {
  const auto data = own_rank(group, {4}, at::kFloat);
  group.all_reduce_async(data);
  group.all_reduce_sum(data);  // of the sums, and not of the ranks
  expect_all(data, group.size() * rank_sum(group));
  group.wait();
  expect_all(data, group.size() * rank_sum(group));
}

void sum_adds_up_every_dtype(Group& group) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kLong, at::kInt, at::kByte}) {
    const auto data = own_rank(group, {7}, dtype);
    group.all_reduce_sum(data);
    expect_all(data, rank_sum(group));
  }
}

void max_takes_the_largest_of_each_element(Group& group) {
  const auto data = own_rank(group, {2}, at::kLong);
  data.select(0, 1).neg_();
  group.all_reduce_max(data);
  EXPECT_EQ(data[0].item<std::int64_t>(), group.size() - 1);
  EXPECT_EQ(data[1].item<std::int64_t>(), 0);
}

void broadcast_gives_the_value_of_the_root(Group& group) {
  for (int root = 0; root < group.size(); ++root) {
    for (const auto dtype : {at::kFloat, at::kLong, at::kBool, at::kBFloat16}) {
      const auto data = (own_rank(group, {6}, at::kLong) == root).to(dtype);
      group.broadcast(data, root);
      expect_all(data, 1);
    }
  }
}

void broadcast_reaches_a_parameter(Group& group) {
  const auto parameter = own_rank(group, {3}, at::kFloat).requires_grad_();
  group.broadcast(parameter, group.size() - 1);
  expect_all(parameter.detach(), group.size() - 1);
}

void all_gather_returns_all_in_rank_order(Group& group) {
  const auto all = group.all_gather(own_rank(group, {2, 3}, at::kInt));
  EXPECT_EQ(all.sizes(), at::IntArrayRef({group.size(), 2, 3}));
  for (int rank = 0; rank < group.size(); ++rank) expect_all(all[rank], rank);
}

void all_gather_takes_a_scalar(Group& group) {
  const auto all = group.all_gather(own_rank(group, {}, at::kLong));
  EXPECT_TRUE(at::equal(all, at::arange(group.size())));
}

void all_gather_takes_empty_rows(Group& group) {
  const auto all = group.all_gather(at::empty({0, 3}));
  EXPECT_EQ(all.sizes(), at::IntArrayRef({group.size(), 0, 3}));
}

void no_rank_leaves_a_barrier_before_all_reach_it(Group& group) {
  static std::atomic<std::int64_t> arrived = 0;
  if (group.rank() == 0) arrived = 0;
  const auto processes = group.all_gather(at::full({}, getpid(), at::kLong));
  group.barrier();
  ++arrived;
  group.barrier();
  // Ranks that are threads of one process share the count.
  EXPECT_EQ(arrived, (processes == getpid()).sum().item<std::int64_t>());
  group.barrier();
}

void messages_arrive_in_the_order_of_sending(Group& group) {
  for (int i = 0; i < 3; ++i) {
    if (group.rank() > 0) group.send(at::full({5}, group.rank() * 10 + i, at::kInt), 0);
    if (group.rank() > 0) continue;
    for (int source = 1; source < group.size(); ++source) {
      const auto data = at::zeros({5}, at::kInt);
      group.receive(data, source);
      expect_all(data, source * 10 + i);
    }
  }
}

// By a group for each direction; messages of many megabytes, which no backend stores on their way.
void two_ranks_may_send_to_each_other_before_they_receive(Group& group) {
  const auto back = group.split(0);
  if (group.rank() > 1 || group.size() < 2) return;
  Group& there = group.rank() == 0 ? group : *back;
  Group& here = group.rank() == 0 ? *back : group;
  const int peer = 1 - group.rank();
  const auto sent = at::full({4'000'000}, group.rank() + 1, at::kDouble);
  const auto received = at::zeros_like(sent);
  there.send_async(sent, peer);
  here.receive(received, peer);
  there.wait();
  expect_all(received, peer + 1);
}

void a_message_on_its_way_can_be_received(Group& group) {
  group.barrier();
  if (group.rank() == 0 && group.size() > 1) {
    EXPECT_FALSE(group.can_receive(1));
  }
  group.barrier();
  for (int i = 0; i < 3; ++i) {
    if (group.rank() == 1) group.send_async(at::full({1'000'000}, i, at::kInt), 0);
    if (group.rank() != 0 || group.size() == 1) continue;
    while (!group.can_receive(1)) std::this_thread::yield();
    const auto data = at::zeros({1'000'000}, at::kInt);
    group.receive(data, 1);
    expect_all(data, i);
  }
  group.wait();
}

void split_makes_a_group_of_each_color(Group& group) {
  const int color = group.rank() % 2;
  const auto part = group.split(color);
  EXPECT_EQ(part->rank(), group.rank() / 2);
  EXPECT_EQ(part->size(), (group.size() + 1 - color) / 2);
  EXPECT_EQ(part->backend(), group.backend());
  const auto all = part->all_gather(own_rank(group, {1}, at::kLong));
  for (int i = 0; i < part->size(); ++i) EXPECT_EQ(all[i].item<std::int64_t>(), 2 * i + color);
}

void groups_of_a_split_do_not_disturb_each_other(Group& group) {
  const auto part = group.split(0);
  const auto left = own_rank(group, {1000}, at::kFloat);
  const auto right = own_rank(group, {1000}, at::kFloat);
  group.all_reduce_async(left);
  part->all_reduce_sum(right);
  group.wait();
  expect_all(left, rank_sum(group));
  expect_all(right, rank_sum(group));
}

void the_cost_of_sums_is_counted(Group& group) {
  const auto before = group.all_reduce_cost();
  const auto data = own_rank(group, {1000}, at::kFloat);
  group.all_reduce_async(data);
  group.wait();
  const auto after = group.all_reduce_cost();
  EXPECT_EQ(after.bytes - before.bytes, group.size() == 1 ? 0 : 4000);
  EXPECT_GE(after.busy_seconds, before.busy_seconds);
  EXPECT_GE(after.exposed_seconds, before.exposed_seconds);
}

}  // namespace

std::vector<GroupClaim> operation_claims() {
  return {
      {"SumOfALargeTensorIsComplete", sum_of_a_large_tensor_is_complete},
      {"ManySumsMayOverlap", many_sums_may_overlap},
      {"OperationsHappenInTheOrderOfTheCalls", operations_happen_in_the_order_of_the_calls},
      {"SumAddsUpEveryDtype", sum_adds_up_every_dtype},
      {"MaxTakesTheLargestOfEachElement", max_takes_the_largest_of_each_element},
      {"BroadcastGivesTheValueOfTheRoot", broadcast_gives_the_value_of_the_root},
      {"BroadcastReachesAParameter", broadcast_reaches_a_parameter},
      {"AllGatherReturnsAllInRankOrder", all_gather_returns_all_in_rank_order},
      {"AllGatherTakesAScalar", all_gather_takes_a_scalar},
      {"AllGatherTakesEmptyRows", all_gather_takes_empty_rows},
      {"NoRankLeavesABarrierBeforeAllReachIt", no_rank_leaves_a_barrier_before_all_reach_it},
      {"MessagesArriveInTheOrderOfSending", messages_arrive_in_the_order_of_sending},
      {"TwoRanksMaySendToEachOtherBeforeTheyReceive",
       two_ranks_may_send_to_each_other_before_they_receive},
      {"AMessageOnItsWayCanBeReceived", a_message_on_its_way_can_be_received},
      {"SplitMakesAGroupOfEachColor", split_makes_a_group_of_each_color},
      {"GroupsOfASplitDoNotDisturbEachOther", groups_of_a_split_do_not_disturb_each_other},
      {"TheCostOfSumsIsCounted", the_cost_of_sums_is_counted},
  };
}

std::vector<GroupClaim> group_claims() {
  auto claims = operation_claims();
  const auto more = gradient_claims();
  claims.insert(claims.end(), more.begin(), more.end());
  return claims;
}

}  // namespace ganscale::comm
