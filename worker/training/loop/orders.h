#pragma once

#include "comm/group/group.h"

namespace ganscale::training {

/// What this rank requests at the end of a step or, once agreed, what all ranks do.
struct Orders {
  bool stop = false;  ///< write a checkpoint and end with 143
  bool finish =
      false;  ///< write a checkpoint and end with 0: the command "stop", or what was to be measured is
  bool spent = false;       ///< the budget is used up: evaluate, write a checkpoint and end with 0
  bool checkpoint = false;  ///< write a checkpoint and continue
  bool pause = false;
  bool fail = false;  ///< this rank can't continue, for example because the disk is full

  /// Whether the run ends here with a checkpoint.
  bool end() const { return stop || finish || spent; }
};

/// Makes all ranks act on the same orders at the same step: a request of one rank is an order for
/// all.
Orders agree(comm::Group& group, const Orders& requests);

}  // namespace ganscale::training
