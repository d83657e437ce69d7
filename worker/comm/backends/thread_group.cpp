#include "comm/backends/thread_group.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/record_function.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "profile/scopes.h"

namespace ganscale::comm {
namespace {

enum class Kind { kBarrier, kSum, kMax, kBroadcast, kGather };

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::kBarrier: return "barrier";
    case Kind::kSum: return "all_reduce_sum";
    case Kind::kMax: return "all_reduce_max";
    case Kind::kBroadcast: return "broadcast";
    case Kind::kGather: return "all_gather";
  }
  return "unknown";
}

/// State shared by all ranks of one run_ranks(), including split groups: losing one rank wakes them
/// all.
struct RunState {
  explicit RunState(std::chrono::milliseconds limit) : timeout(limit) {}
  void mark_lost(const std::string& why) {  // the first reason stays
    if (!lost) lost = why;
    changed.notify_all();
  }

  const std::chrono::milliseconds timeout;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> lost;
};

/// An operation that not all ranks have called yet; `inputs` is undefined for those ranks.
struct Operation {
  Kind kind;
  int root;
  std::vector<at::Tensor> inputs;
  std::vector<at::Tensor> outputs;
  int arrived = 0;
};

/// State shared by the ranks of one group, guarded by the mutex of run_state.
struct GroupState {
  GroupState(std::shared_ptr<RunState> shared, int ranks)
      : run_state(std::move(shared)), size(ranks) {}

  const std::shared_ptr<RunState> run_state;
  const int size;
  std::int64_t completed = 0;  // operations complete in order, since all ranks call them in order
  std::deque<Operation> pending;
  std::map<std::pair<int, int>, std::deque<at::Tensor>> mailboxes;  // by source and destination
  // By operation and color.
  std::map<std::pair<std::int64_t, int>, std::shared_ptr<GroupState>> children;
};

at::Tensor combine(const Operation& operation) {
  at::Tensor result = operation.inputs[0].clone();
  for (std::size_t i = 1; i < operation.inputs.size(); ++i) {
    if (operation.kind == Kind::kMax) {
      result = result.maximum(operation.inputs[i]);
    } else {
      result.add_(operation.inputs[i]);
    }
  }
  return result;
}

void complete(const Operation& operation) {
  if (operation.kind == Kind::kBarrier) return;
  if (operation.kind == Kind::kGather) {
    for (const auto& output : operation.outputs) {
      for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
        output.select(0, static_cast<std::int64_t>(i)).copy_(operation.inputs[i]);
      }
    }
    return;
  }
  const at::Tensor result = operation.kind == Kind::kBroadcast
                                ? operation.inputs[static_cast<std::size_t>(operation.root)]
                                : combine(operation);
  for (const auto& data : operation.inputs) {
    if (!data.is_same(result)) data.copy_(result);
  }
}

class ThreadGroup final : public Group {
 public:
  ThreadGroup(std::shared_ptr<GroupState> state, int rank)
      : state_(std::move(state)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return state_->size; }
  std::string_view backend() const override { return "threads"; }

  void all_reduce_async(const at::Tensor& data) override {
    if (size() == 1) return;
    const Stopwatch watch;
    post(Kind::kSum, data, 0, {});
    cost_.bytes += static_cast<std::int64_t>(data.nbytes());
    add_seconds(watch.seconds());
  }

  void wait() override {
    if (size() == 1) return;
    RECORD_USER_SCOPE(profile::kAllReduceWait);
    const Stopwatch watch;
    wait_for_posted();
    add_seconds(watch.seconds());
  }

  void finish() override { wait(); }
  AllReduceCost all_reduce_cost() const override { return cost_; }

  void barrier() override {
    if (size() == 1) return;
    post(Kind::kBarrier, at::empty({0}), 0, {});
    std::unique_lock lock(state_->run_state->mutex);
    const auto done = [&] { return state_->completed >= posted_; };
    state_->run_state->changed.wait(lock,
                                    [&] { return done() || state_->run_state->lost.has_value(); });
    if (!done()) throw_if_lost();
  }

  void all_reduce_sum(const at::Tensor& data) override { run(Kind::kSum, data, 0, {}); }
  void all_reduce_max(const at::Tensor& data) override { run(Kind::kMax, data, 0, {}); }
  void broadcast(const at::Tensor& data, int root) override {
    check(root >= 0 && root < size(), "no such rank: " + std::to_string(root));
    run(Kind::kBroadcast, data, root, {});
  }

  at::Tensor all_gather(const at::Tensor& data) override {
    std::vector<std::int64_t> shape{size()};
    shape.insert(shape.end(), data.sizes().begin(), data.sizes().end());
    const at::Tensor all = data.new_empty(shape);
    run(Kind::kGather, data, 0, all);
    return all;
  }

  void send(const at::Tensor& data, int destination) override {
    check(destination >= 0 && destination < size() && destination != rank_,
          "no such peer: " + std::to_string(destination));
    const at::NoGradGuard no_grad;
    const at::Tensor message = data.clone();
    finish_work_on(message);
    const std::scoped_lock lock(state_->run_state->mutex);
    state_->mailboxes[{rank_, destination}].push_back(message);
    state_->run_state->changed.notify_all();
  }

  void send_async(const at::Tensor& data, int destination) override { send(data, destination); }

  bool can_receive(int source) override {
    const std::scoped_lock lock(state_->run_state->mutex);
    if (!state_->mailboxes[{source, rank_}].empty()) return true;
    throw_if_lost();
    return false;
  }

  void receive(const at::Tensor& data, int source) override {
    check(source >= 0 && source < size() && source != rank_,
          "no such peer: " + std::to_string(source));
    at::Tensor message;
    {
      std::unique_lock lock(state_->run_state->mutex);
      auto& mailbox = state_->mailboxes[{source, rank_}];
      wait_until(lock, "receive", [&] { return !mailbox.empty(); });
      message = mailbox.front();
      mailbox.pop_front();
    }
    check(message.sizes() == data.sizes() && message.scalar_type() == data.scalar_type(),
          "received a tensor of another shape or dtype");
    const at::NoGradGuard no_grad;
    data.copy_(message);
    finish_work_on(data);
  }

  std::unique_ptr<Group> split(int color) override {
    check(color >= 0, "a color must not be negative: " + std::to_string(color));
    const at::NoGradGuard no_grad;
    const at::Tensor colors = all_gather(at::full({}, color, at::kLong));
    const auto* all = colors.const_data_ptr<std::int64_t>();
    int new_rank = 0;
    int new_size = 0;
    for (int i = 0; i < size(); ++i) {
      if (all[i] != color) continue;
      if (i < rank_) ++new_rank;
      ++new_size;
    }
    const std::scoped_lock lock(state_->run_state->mutex);
    auto& child = state_->children[{posted_, color}];
    if (!child) child = std::make_shared<GroupState>(state_->run_state, new_size);
    return std::make_unique<ThreadGroup>(child, new_rank);
  }

 private:
  void run(Kind kind, const at::Tensor& data, int root, const at::Tensor& output) {
    if (size() == 1 && kind != Kind::kGather) return;
    post(kind, data, root, output);
    wait_for_posted();
  }

  /// Waits for what a GPU does with a tensor in this thread's stream: other ranks have others.
  void finish_work_on(const at::Tensor& data) const {
    if (size() == 1 || !data.is_cuda()) return;
    const c10::impl::VirtualGuardImpl streams(data.device().type());
    streams.synchronizeStream(streams.getStream(data.device()));
  }

  /// Adds this rank's input to the next operation. The last rank to call does the work for all.
  void post(Kind kind, const at::Tensor& data, int root, const at::Tensor& output) {
    const at::NoGradGuard no_grad;
    finish_work_on(data);
    const std::scoped_lock lock(state_->run_state->mutex);
    throw_if_lost();
    Operation& operation = find_or_begin(kind, root);
    const auto& first = first_input(operation);
    const bool agrees = operation.kind == kind && operation.root == root &&
                        (!first.defined() || (first.sizes() == data.sizes() &&
                                              first.scalar_type() == data.scalar_type()));
    check(agrees, "the ranks disagree about operation " + std::to_string(posted_) + ": rank " +
                      std::to_string(rank_) + " calls " + std::string(name(kind)) +
                      ", another one " + std::string(name(operation.kind)) +
                      " or with another shape, dtype or root");
    ++posted_;
    operation.inputs[static_cast<std::size_t>(rank_)] = data;
    operation.outputs[static_cast<std::size_t>(rank_)] = output;
    if (++operation.arrived < size()) return;
    complete(operation);
    finish_work_on(data);
    state_->pending.pop_front();
    ++state_->completed;
    state_->run_state->changed.notify_all();
  }

  Operation& find_or_begin(Kind kind, int root) {
    const auto index = static_cast<std::size_t>(posted_ - state_->completed);
    if (index == state_->pending.size()) {
      const auto ranks = static_cast<std::size_t>(size());
      state_->pending.push_back(
          {kind, root, std::vector<at::Tensor>(ranks), std::vector<at::Tensor>(ranks)});
    }
    return state_->pending[index];
  }

  static at::Tensor first_input(const Operation& operation) {
    for (const auto& input : operation.inputs) {
      if (input.defined()) return input;
    }
    return {};
  }

  void wait_for_posted() {
    std::unique_lock lock(state_->run_state->mutex);
    const auto done = [&] { return state_->completed >= posted_; };
    if (done()) return;
    const auto& front = state_->pending.front();
    wait_until(lock, name(front.kind), done);
  }

  template <class Done>
  void wait_until(std::unique_lock<std::mutex>& lock, std::string_view operation, Done done) {
    RunState& run_state = *state_->run_state;
    const auto stop = [&] { return done() || run_state.lost.has_value(); };
    if (!run_state.changed.wait_for(lock, run_state.timeout, stop)) {
      run_state.mark_lost("rank " + std::to_string(rank_) + " of " + std::to_string(size()) +
                          " waited " + std::to_string(run_state.timeout.count()) + " ms in " +
                          std::string(operation) + missing_ranks());
    }
    if (!done()) throw_if_lost();
  }

  /// Lists the ranks that the oldest operation waits for.
  std::string missing_ranks() const {
    if (state_->pending.empty()) return "";
    std::string text = " for ranks:";
    const auto& inputs = state_->pending.front().inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined()) text.append(" ").append(std::to_string(i));
    }
    return text;
  }

  void throw_if_lost() const {
    if (state_->run_state->lost) throw PeerLost("a peer is lost: " + *state_->run_state->lost);
  }

  void add_seconds(double seconds) {  // nothing overlaps: all busy time is exposed
    cost_.busy_seconds += seconds;
    cost_.exposed_seconds += seconds;
  }

  const std::shared_ptr<GroupState> state_;
  const int rank_;
  std::int64_t posted_ = 0;  // operations that this rank has called
  AllReduceCost cost_;
};

}  // namespace

std::unique_ptr<Group> make_single_group() {
  const auto run_state = std::make_shared<RunState>(std::chrono::minutes(1));
  return std::make_unique<ThreadGroup>(std::make_shared<GroupState>(run_state, 1), 0);
}

void run_ranks(int size, const std::function<void(Group&)>& body,
               std::chrono::milliseconds timeout) {
  check(size > 0, "a group needs a rank: " + std::to_string(size));
  const auto run_state = std::make_shared<RunState>(timeout);
  const auto state = std::make_shared<GroupState>(run_state, size);
  std::exception_ptr first_error;
  const auto run_rank = [&](int rank) {
    try {
      ThreadGroup group(state, rank);
      body(group);
    } catch (...) {
      const std::scoped_lock lock(run_state->mutex);
      if (!first_error) first_error = std::current_exception();
      run_state->mark_lost("rank " + std::to_string(rank) + " failed");
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) threads.emplace_back(run_rank, rank);
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace ganscale::comm
