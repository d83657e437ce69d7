#pragma once

#include <c10/util/Exception.h>

namespace ganscale::device {

/// Ends a capture that failed, and destroys what it has recorded.
///
/// graph:     at::cuda::CUDAGraph. If the work has invalidated the capture, its capture_end()
///            throws before it notifies the allocator, which would go on serving this stream from
///            the pool of the graphs.
/// allocator: end_allocation() and release_pool() do for the pool of the capture what the graph has
///            left undone; the first throws c10::Error if nothing is left.
template <class Graph, class Allocator>
void abandon_capture(Graph& graph, Allocator& allocator) {
  try {
    graph.capture_end();
  } catch (const c10::Error&) {
    try {
      allocator.end_allocation();
      allocator.release_pool();
    } catch (const c10::Error&) {
      // The graph had notified the allocator.
    }
  }
  graph.reset();
}

}  // namespace ganscale::device
