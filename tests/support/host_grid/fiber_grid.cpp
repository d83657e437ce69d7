// The threads of a block take turns on the thread of the host that launches the grid. Each runs
// until it has to wait, and has a stack of its own if it does. A context puts a fiber on its stack; from then on it jumps,
// since swapcontext() asks the kernel for the mask of signals each time.
#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/error.h"
#include "support/host_grid/grid.h"
#include "support/host_grid/stack_switch.h"

namespace ganscale::host_grid {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 16;

/// Where threads wait until all that have not left the kernel have arrived.
struct Barrier {
  unsigned expected = 0;
  unsigned arrived = 0;
  unsigned round = 0;  ///< how often all had arrived

  void arrive() {
    ++arrived;
    open_if_complete();
  }
  void drop() {
    --expected;
    open_if_complete();
  }

 private:
  void open_if_complete() {
    if (arrived < expected) return;
    arrived = 0;
    ++round;
  }
};

struct Warp {
  Barrier together;
  Passed passed = {};
};

/// A stack on which one thread of a block runs after the other, each to its end.
struct Fiber {
  ucontext_t start = {};
  std::jmp_buf place = {};  ///< where it continues, once it has started
  bool has_started = false;
  std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  unsigned thread = 0;               ///< its number in the block
  const Barrier* barrier = nullptr;  ///< at which the thread waits, if it does
  unsigned round = 0;                ///< of the barrier, when the thread arrived

  Stack bounds() const { return {stack.get(), kStackBytes}; }
  bool can_go_on() const { return barrier != nullptr && barrier->round != round; }
};

class Grid {
 public:
  void run(dim3 blocks, dim3 threads, const std::function<void()>& kernel) {
    threads_ = threads;
    thread_count_ = count_of(threads);
    kernel_ = &kernel;
    const std::uint64_t block_count = std::uint64_t{blocks.x} * blocks.y * blocks.z;
    for (std::uint64_t i = 0; i < block_count; ++i) {
      blockIdx = place_of(i, blocks);
      run_block();
    }
  }

  void wait_for_block() { wait_at(block_); }

  std::uint64_t from_higher_lane(std::uint64_t mine, unsigned offset) {
    const unsigned thread = current_->thread;
    Warp& warp = warps_[thread / kLanes];
    return host_grid::from_higher_lane(warp.passed, thread % kLanes, offset, mine,
                                       [&] { wait_at(warp.together); });
  }

  /// What a fiber does, forever.
  void run_threads() {
    launcher_stack_ = enter_stack(nullptr);
    for (;;) {
      while (begun_ < thread_count_) {
        current_->thread = begun_++;
        threadIdx = place_of(current_->thread, threads_);
        (*kernel_)();
        warps_[current_->thread / kLanes].together.drop();
        block_.drop();
      }
      current_->barrier = nullptr;
      suspend();
    }
  }

 private:
  void run_block() {
    begun_ = 0;
    block_ = {.expected = thread_count_};
    warps_.clear();
    for (unsigned first = 0; first < thread_count_; first += kLanes) {
      warps_.push_back({.together = {.expected = lanes_from(first, thread_count_)}});
    }
    std::size_t used = 0;
    for (; begun_ < thread_count_; ++used) {
      if (used == fibers_.size()) add_fiber();
      resume(fibers_[used]);
    }
    while (block_.expected > 0) resume_all(used);
  }

  /// Resumes all that can continue among the first `used` fibers.
  void resume_all(std::size_t used) {
    bool any = false;
    for (std::size_t i = 0; i < used; ++i) {
      if (!fibers_[i].can_go_on()) continue;
      resume(fibers_[i]);
      any = true;
    }
    if (!any) fibers_.clear();  // their threads would wait forever
    check(any, "threads of a block wait for each other at different places of a kernel");
  }

  void wait_at(Barrier& barrier) {
    current_->barrier = &barrier;
    current_->round = barrier.round;
    barrier.arrive();
    if (!current_->can_go_on()) suspend();
  }

  void resume(Fiber& fiber) {
    current_ = &fiber;
    threadIdx = place_of(fiber.thread, threads_);
    void* const left = leave_stack(fiber.bounds());
    if (_setjmp(launcher_) == 0) go_on(fiber);
    enter_stack(left);
  }
  void suspend() {
    void* const left = leave_stack(launcher_stack_);
    if (_setjmp(current_->place) == 0) _longjmp(launcher_, 1);
    launcher_stack_ = enter_stack(left);
  }

  static void go_on(Fiber& fiber) {
    if (fiber.has_started) _longjmp(fiber.place, 1);
    fiber.has_started = true;
    setcontext(&fiber.start);
  }

  void add_fiber();

  dim3 threads_;
  unsigned thread_count_ = 0;
  const std::function<void()>* kernel_ = nullptr;
  unsigned begun_ = 0;  // threads of the block
  Barrier block_;
  std::vector<Warp> warps_;
  std::deque<Fiber> fibers_;
  Fiber* current_ = nullptr;
  std::jmp_buf launcher_ = {};
  Stack launcher_stack_;
};

thread_local Grid grid;

void Grid::add_fiber() {
  Fiber& fiber = fibers_.emplace_back();
  getcontext(&fiber.start);
  fiber.start.uc_stack.ss_sp = fiber.stack.get();
  fiber.start.uc_stack.ss_size = kStackBytes;
  makecontext(&fiber.start, [] { grid.run_threads(); }, 0);
}

}  // namespace

void wait_for_block() { grid.wait_for_block(); }

std::uint64_t from_higher_lane(std::uint64_t mine, unsigned offset) {
  return grid.from_higher_lane(mine, offset);
}

bool run(dim3 blocks, dim3 threads, const std::function<void()>& kernel) {
  if (!fits_a_device(blocks, threads)) return false;
  gridDim = blocks;
  blockDim = threads;
  grid.run(blocks, threads, kernel);
  return true;
}

bool is_slow() { return kIsSanitized; }

}  // namespace ganscale::host_grid
