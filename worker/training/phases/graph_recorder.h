#pragma once

#include <map>

#include "comm/group.h"
#include "device/cuda_graph.h"
#include "training/phases/phase.h"

namespace ganscale::training {

/// Has a GPU repeat the gradients of each phase of a step as one CUDA graph, all-reduces included,
/// with the same result: at few images a GPU, launching kernels takes longer than computing them.
///
/// Images, labels and the number of the first image come to one place of the device's memory,
/// where the recorded phases find them. The updates stay outside, as learning rates change.
class GraphRecorder {
 public:
  /// group: over which gradients are averaged; its watchdog watches the repeated phases.
  explicit GraphRecorder(comm::Group& group) : group_(group) {}

  /// Takes the input of the next phases. Shapes, seed and stride are those of the first one.
  void set_input(const StepInput& input);
  /// As the free function, of the input that was placed last.
  NamedTensors compute_gradients(Phase& phase);

 private:
  struct Recorded {
    NamedTensors statistics;
    std::unique_ptr<device::CudaGraph> graph;
  };

  comm::Group& group_;
  StepInput input_;
  at::Tensor first_image_;                  ///< int64 scalar
  std::map<std::string, Recorded> phases_;  ///< by name
};

}  // namespace ganscale::training
