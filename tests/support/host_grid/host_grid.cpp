// Each thread of a block is a thread of the host, as ThreadSanitizer sees it.
#include <barrier>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/host_grid/grid.h"

namespace ganscale::host_grid {
namespace {

/// The lanes of a warp that have not left the kernel, and what they pass to each other.
struct Warp {
  explicit Warp(unsigned lanes) : together(lanes) {}
  std::barrier<> together;
  Passed passed = {};
};

/// What the threads of a block share until they have all left the kernel.
struct Block {
  explicit Block(unsigned threads) : together(threads) {
    for (unsigned first = 0; first < threads; first += kLanes) {
      warps.push_back(std::make_unique<Warp>(lanes_from(first, threads)));
    }
  }
  std::barrier<> together;
  std::vector<std::unique_ptr<Warp>> warps;
};

std::optional<Block> block;
thread_local unsigned my_number = 0;  // in the block

Warp& my_warp() { return *block->warps[my_number / kLanes]; }

/// Threads that stay for the next grid, since to start one takes longer than most kernels.
class Crew {
 public:
  static Crew& of(unsigned size) {
    static std::map<unsigned, Crew> crews;
    return crews.try_emplace(size, size).first->second;
  }

  explicit Crew(unsigned size) : begin_(size + 1), end_(size + 1) {
    for (unsigned number = 0; number < size; ++number) {
      threads_.emplace_back([this, number] { work(number); });
    }
  }
  ~Crew() { begin_.arrive_and_drop(); }

  /// Calls `job` with every thread's number and returns when all have done it.
  void run(const std::function<void(unsigned)>& job) {
    job_ = &job;
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    job_ = nullptr;
  }

 private:
  void work(unsigned number) {
    for (;;) {
      begin_.arrive_and_wait();
      if (job_ == nullptr) return;
      (*job_)(number);
      end_.arrive_and_wait();
    }
  }

  std::barrier<> begin_;
  std::barrier<> end_;
  const std::function<void(unsigned)>* job_ = nullptr;
  std::vector<std::jthread> threads_;
};

}  // namespace

void wait_for_block() { block->together.arrive_and_wait(); }

std::uint64_t from_higher_lane(std::uint64_t mine, unsigned offset) {
  Warp& warp = my_warp();
  return from_higher_lane(warp.passed, my_number % kLanes, offset, mine,
                          [&warp] { warp.together.arrive_and_wait(); });
}

bool run(dim3 blocks, dim3 threads, const std::function<void()>& kernel) {
  if (!fits_a_device(blocks, threads)) return false;
  const unsigned thread_count = count_of(threads);
  const std::uint64_t block_count = std::uint64_t{blocks.x} * blocks.y * blocks.z;
  gridDim = blocks;
  blockDim = threads;
  block.emplace(thread_count);
  std::barrier next_block(thread_count, [&]() noexcept { block.emplace(thread_count); });
  Crew::of(thread_count).run([&](unsigned number) {
    my_number = number;
    threadIdx = place_of(number, threads);
    for (std::uint64_t i = 0; i < block_count; ++i) {
      blockIdx = place_of(i, blocks);
      kernel();
      my_warp().together.arrive_and_drop();
      block->together.arrive_and_drop();
      next_block.arrive_and_wait();
    }
  });
  return true;
}

bool is_slow() { return true; }

}  // namespace ganscale::host_grid
