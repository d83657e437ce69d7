#include "device/abandon_capture.h"

#include <gtest/gtest.h>

namespace ganscale::device {
namespace {

/// The part of LibTorch's allocator that a capture uses: a pool that serves it, and who uses it.
struct FakeAllocator {
  bool serves_capture = true;
  int users_of_pool = 1;

  void end_allocation() {
    TORCH_CHECK(serves_capture, "endAllocatePool: not currently recording to mempool_id");
    serves_capture = false;
  }
  void release_pool() { --users_of_pool; }
};

/// A graph whose capture CUDA has invalidated, or not.
struct FakeGraph {
  FakeAllocator& allocator;
  bool is_valid;
  bool has_ended = false;
  bool is_reset = false;

  void capture_end() {
    TORCH_CHECK(is_valid, "operation failed due to a previous error during capture");
    allocator.end_allocation();
    has_ended = true;
  }
  void reset() {
    if (has_ended) allocator.release_pool();
    is_reset = true;
  }
};

TEST(AbandonCapture, EndsAllocationForACaptureThatIsInvalid) {
  FakeAllocator allocator;
  FakeGraph graph{allocator, /*is_valid=*/false};
  abandon_capture(graph, allocator);
  EXPECT_FALSE(allocator.serves_capture);
  EXPECT_EQ(allocator.users_of_pool, 0);
  EXPECT_TRUE(graph.is_reset);
}

TEST(AbandonCapture, LeavesTheAllocatorToACaptureThatEnds) {
  FakeAllocator allocator;
  FakeGraph graph{allocator, /*is_valid=*/true};
  abandon_capture(graph, allocator);
  EXPECT_FALSE(allocator.serves_capture);
  EXPECT_EQ(allocator.users_of_pool, 0);
  EXPECT_TRUE(graph.is_reset);
}

}  // namespace
}  // namespace ganscale::device
