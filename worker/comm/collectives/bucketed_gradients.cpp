#include "comm/collectives/bucketed_gradients.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_zero.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/rounded_up.h"

namespace ganscale::comm {
namespace {

constexpr std::int64_t kAlignmentBytes =
    64;  // a cache line, and more than any vector load asks for

struct Bucket {
  std::vector<std::size_t> members;  // indices of parameters
  at::Tensor flat;
  std::vector<at::Tensor> places;  // of the members' gradients in it
  std::size_t missing = 0;         // members without a gradient since begin()
};

/// Returns the number of elements of a parameter in its bucket, rounded up to the alignment.
std::int64_t padded_count(const at::Tensor& parameter) {
  const auto unit = std::max<std::int64_t>(1, kAlignmentBytes / parameter.element_size());
  return rounded_up(parameter.numel(), unit);
}

bool share_bucket(const at::Tensor& one, const at::Tensor& other) {
  return one.scalar_type() == other.scalar_type() && one.device() == other.device();
}

// The all-reduce of a network's only bucket could not overlap with the backward pass, so a small
// network gets smaller buckets, down to where the latency of a message would matter.
std::int64_t bucket_limit_bytes(const std::vector<at::Tensor>& parameters,
                                std::int64_t bucket_bytes) {
  constexpr std::int64_t kFewestBuckets = 4;
  constexpr std::int64_t kSmallestBytes = 1'000'000;
  std::int64_t total_bytes = 0;
  for (const auto& parameter : parameters) {
    total_bytes += padded_count(parameter) * parameter.element_size();
  }
  return std::min(bucket_bytes, std::max(kSmallestBytes, total_bytes / kFewestBuckets));
}

/// Splits the parameters, in reverse order, into buckets of one dtype and device.
std::vector<Bucket> plan_buckets(const std::vector<at::Tensor>& parameters,
                                 std::int64_t bucket_bytes) {
  const auto limit_bytes = bucket_limit_bytes(parameters, bucket_bytes);
  std::vector<Bucket> buckets;
  std::int64_t filled_bytes = 0;
  for (std::size_t index = parameters.size(); index-- > 0;) {
    const auto& parameter = parameters[index];
    const bool fits = !buckets.empty() && filled_bytes < limit_bytes &&
                      share_bucket(parameter, parameters[buckets.back().members.front()]);
    if (!fits) {
      buckets.emplace_back();
      filled_bytes = 0;
    }
    buckets.back().members.push_back(index);
    filled_bytes += padded_count(parameter) * parameter.element_size();
  }
  return buckets;
}

/// Allocates the bucket, all zero.
void allocate(Bucket& bucket, const std::vector<at::Tensor>& parameters) {
  std::int64_t element_count = 0;
  for (const auto index : bucket.members) element_count += padded_count(parameters[index]);
  bucket.flat = parameters[bucket.members.front()].detach().new_zeros({element_count});
  std::int64_t offset = 0;
  for (const auto index : bucket.members) {
    const auto& parameter = parameters[index];
    bucket.places.push_back(bucket.flat.as_strided(parameter.sizes(), parameter.strides(), offset));
    offset += padded_count(parameter);
  }
}

/// Copies the gradients that autograd left in memory of their own to their places, at once, and
/// makes all of the bucket's gradients views into it. If there is none, it is zero.
void gather(const Bucket& bucket, const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> to;
  std::vector<at::Tensor> from;
  std::vector<at::Tensor> absent;
  for (std::size_t i = 0; i < bucket.members.size(); ++i) {
    const at::Tensor& place = bucket.places[i];
    at::Tensor& gradient = parameters[bucket.members[i]].mutable_grad();
    if (!gradient.defined()) {
      absent.push_back(place);
    } else if (!gradient.is_alias_of(place)) {
      to.push_back(place);
      from.push_back(gradient);
    }
    gradient = place;
  }
  if (!to.empty()) at::_foreach_copy_(to, from);
  if (!absent.empty()) at::_foreach_zero_(absent);
}

}  // namespace

struct BucketedGradients::State {
  State(Group& ranks, std::vector<at::Tensor> all, std::int64_t bucket_bytes)
      : group(ranks),
        parameters(std::move(all)),
        buckets(plan_buckets(parameters, bucket_bytes)),
        bucket_of(parameters.size()),
        seen(parameters.size()) {
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      for (const auto index : buckets[b].members) bucket_of[index] = b;
    }
  }

  void begin() {
    for (auto& bucket : buckets) bucket.missing = bucket.members.size();
    std::fill(seen.begin(), seen.end(), false);
    launched = 0;
    active = true;
  }

  void gradient_is_there(std::size_t index) {
    if (!active) return;
    check(!seen[index],
          "a parameter got a second gradient: call begin() before the last backward pass only");
    seen[index] = true;
    --buckets[bucket_of[index]].missing;
    while (launched < buckets.size() && buckets[launched].missing == 0) launch_next();
  }

  void launch_next() {
    const Bucket& bucket = buckets[launched++];
    gather(bucket, parameters);
    group.all_reduce_async(bucket.flat);
  }

  Group& group;
  const std::vector<at::Tensor> parameters;
  std::vector<Bucket> buckets;
  std::vector<std::size_t> bucket_of;  // by parameter
  std::vector<bool> seen;              // parameters with a gradient since begin()
  std::size_t launched = 0;            // number of buckets whose all-reduce was started
  bool active = false;
};

class BucketedGradients::Hook final : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(std::shared_ptr<State> state, std::size_t index) : state_(std::move(state)), index_(index) {}
  void operator()(const at::Tensor& /*parameter*/) override { state_->gradient_is_there(index_); }

 private:
  const std::shared_ptr<State> state_;
  const std::size_t index_;
};

BucketedGradients::BucketedGradients(std::vector<at::Tensor> parameters, Group& group,
                                     std::int64_t bucket_bytes)
    : state_(std::make_shared<State>(group, std::move(parameters), bucket_bytes)) {
  check(bucket_bytes > 0, "a bucket needs room: " + std::to_string(bucket_bytes));
  for (std::size_t index = 0; index < state_->parameters.size(); ++index) {
    const auto& parameter = state_->parameters[index];
    check(parameter.is_leaf() && parameter.requires_grad(),
          "only a leaf that requires a gradient has a place in a bucket");
    check(parameter.is_non_overlapping_and_dense(), "a parameter has gaps in its memory");
    check(torch::autograd::impl::post_acc_grad_hooks(parameter) == nullptr,
          "a parameter is in two sets of buckets, or twice in one");
    torch::autograd::impl::set_post_acc_grad_hooks(parameter,
                                                   std::make_unique<Hook>(state_, index));
  }
  for (auto& bucket : state_->buckets) {
    allocate(bucket, state_->parameters);
    gather(bucket, state_->parameters);
  }
}

BucketedGradients::~BucketedGradients() {
  for (const auto& parameter : state_->parameters) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
    parameter.mutable_grad() = at::Tensor();
  }
}

void BucketedGradients::clear() {
  for (const auto& parameter : state_->parameters) parameter.mutable_grad() = at::Tensor();
}

void BucketedGradients::begin() { state_->begin(); }

void BucketedGradients::backward(const at::Tensor& loss) {
  // Scaled here so that the sum over the ranks is the mean.
  loss.backward(loss.detach().new_full(loss.sizes(), 1.0 / state_->group.size()));
  if (state_->active) return;
  for (const auto& bucket : state_->buckets) gather(bucket, state_->parameters);
}

void BucketedGradients::finish() {
  check(state_->active, "finish() needs a begin()");
  state_->active = false;
  while (state_->launched < state_->buckets.size()) state_->launch_next();
  state_->group.wait();
}

std::vector<at::Tensor> BucketedGradients::buckets() const {
  std::vector<at::Tensor> result;
  for (const auto& bucket : state_->buckets) result.push_back(bucket.flat);
  return result;
}

}  // namespace ganscale::comm
