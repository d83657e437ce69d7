#pragma once

namespace ganscale::training {

/// Handles SIGTERM, SIGINT and SIGUSR1 during its lifetime: each requests a checkpoint and a stop.
/// mpirun forwards only SIGUSR1; on the others it ends the ranks itself. Only one object may exist
/// at a time. A second SIGINT ends the process at once.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool received() const;
};

}  // namespace ganscale::training
