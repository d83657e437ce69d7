// Replaces cuda_graph_cuda.cpp in a build without CUDA.
#include "base/error.h"
#include "device/cuda_graph.h"

namespace ganscale::device {

struct CudaGraph::Capture {};

CudaGraph::CudaGraph(c10::Device device, std::function<void()> work) : work_(std::move(work)) {
  check(device.is_cpu(), "a build without CUDA repeats work on the CPU");
}

CudaGraph::~CudaGraph() = default;

void CudaGraph::run() { work_(); }

}  // namespace ganscale::device
