#pragma once

#include "base/non_copyable.h"

namespace ganscale::training {

/// Handles SIGTERM, SIGINT and SIGUSR1 during its lifetime: each requests a checkpoint and a stop.
/// mpirun forwards only SIGUSR1; on the others it ends the ranks itself. Only one object may exist
/// at a time. A second SIGINT ends the process at once.
class StopSignal : NonCopyable {
 public:
  StopSignal();
  ~StopSignal();

  bool received() const;
  /// Has received() return true: another rank was told to stop, or this one by a command.
  void request() const;
};

}  // namespace ganscale::training
