#pragma once

#include <map>

#include "comm/group/group.h"
#include "device/cuda_graph.h"
#include "training/phases/phase.h"
#include "training/replica/replica.h"

namespace ganscale::training {

/// Replays the gradient computation of each phase as a CUDA graph, including all-reduces, with the
/// same result: with few images per GPU, launching kernels takes longer than running them.
///
/// Images, labels and the number of the first image are copied to fixed device memory, which the
/// graphs read. Updates are not captured, since learning rates change; nor is the preparation of
/// weights, which not every replay needs.
class GraphRecorder {
 public:
  /// replica: of the phases.
  /// group:   averages the gradients; its watchdog watches replayed phases.
  GraphRecorder(Replica& replica, comm::Group& group) : replica_(replica), group_(group) {}

  /// Sets the input of the next phases. Shapes, seed and stride must equal the first one's.
  void set_input(const StepInput& input);
  /// Like the free function, for the latest input.
  PhaseOutput compute_gradients(Phase& phase);

 private:
  struct Recorded {
    std::vector<std::string> names;  ///< of the statistics
    at::Tensor statistics;           ///< [names]
    std::unique_ptr<device::CudaGraph> graph;
  };

  static void pack(const NamedTensors& statistics, Recorded& recorded);

  Replica& replica_;
  comm::Group& group_;
  StepInput input_;
  at::Tensor first_image_;                  ///< int64 scalar
  std::map<std::string, Recorded> phases_;  ///< by name
};

}  // namespace ganscale::training
