#pragma once

namespace ganscale::training {

/// Watches for SIGTERM, SIGINT and SIGUSR1 while it lives: each asks the run to write a checkpoint
/// and stop. Of these mpirun forwards SIGUSR1 alone; on the others it ends the ranks itself. One
/// object at a time. A second SIGINT ends the process at once.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool received() const;
};

}  // namespace ganscale::training
