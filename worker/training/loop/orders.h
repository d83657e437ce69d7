#pragma once

#include "comm/group.h"

namespace ganscale::training {

/// What this rank wants to happen at the end of a step, or, once agreed, what all ranks do.
struct Orders {
  bool stop = false;        ///< write a checkpoint and end with 143
  bool finish = false;      ///< write a checkpoint and end with 0, as a user's "stop" command asks
  bool spent = false;       ///< the budget is: measure, write a checkpoint and end with 0
  bool checkpoint = false;  ///< write a checkpoint and go on
  bool pause = false;
  bool fail = false;  ///< this rank can't go on, for example for a full disk

  /// Whether the run ends here with a checkpoint.
  bool end() const { return stop || finish || spent; }
};

/// Makes all ranks act on the same orders at the same step: one rank's wish is every rank's order.
Orders agree(comm::Group& group, const Orders& requests);

}  // namespace ganscale::training
