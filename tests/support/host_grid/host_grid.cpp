#include <algorithm>
#include <array>
#include <barrier>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/host_grid/cuda_runtime.h"

namespace ganscale::host_grid {
namespace {

constexpr unsigned kLanes = 32;

/// The lanes of a warp that have not left the kernel, and what they pass to each other.
struct Warp {
  explicit Warp(unsigned lanes) : together(lanes) {}
  std::barrier<> together;
  std::array<std::uint64_t, kLanes> passed = {};
};

/// What the threads of a block share until they have all left the kernel.
struct Block {
  explicit Block(unsigned threads) : together(threads) {
    for (unsigned first = 0; first < threads; first += kLanes) {
      warps.push_back(std::make_unique<Warp>(std::min(kLanes, threads - first)));
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

bool fits_a_device(dim3 blocks, dim3 threads) {
  return blocks.x <= 0x7FFFFFFF && blocks.y <= 65535 && blocks.z <= 65535 &&
         threads.x * threads.y * threads.z <= 1024;
}

dim3 place_of(std::uint64_t number, dim3 in) {
  return {static_cast<unsigned>(number % in.x), static_cast<unsigned>(number / in.x % in.y),
          static_cast<unsigned>(number / in.x / in.y)};
}

}  // namespace

void wait_for_block() { block->together.arrive_and_wait(); }

std::uint64_t from_higher_lane(std::uint64_t mine, unsigned offset) {
  Warp& warp = my_warp();
  const unsigned lane = my_number % kLanes;
  warp.passed[lane] = mine;
  warp.together.arrive_and_wait();
  const std::uint64_t theirs = lane + offset < kLanes ? warp.passed[lane + offset] : mine;
  warp.together.arrive_and_wait();
  return theirs;
}

bool run(dim3 blocks, dim3 threads, const std::function<void()>& kernel) {
  if (!fits_a_device(blocks, threads)) return false;
  const unsigned thread_count = threads.x * threads.y * threads.z;
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

}  // namespace ganscale::host_grid
