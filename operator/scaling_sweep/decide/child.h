#pragma once

#include <optional>
#include <string>
#include <vector>

#include "object/json.h"
#include "object/time.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/spec/scaling_sweep.h"

namespace ganscale::controller::scaling_sweep {

/// The observed state of a GanTraining with the label of a sweep.
struct Child {
  std::string name;
  std::string uid;
  std::string hash;
  bool owned = false;             ///< by this sweep
  bool of_earlier_sweep = false;  ///< by an earlier sweep of the same name, with which it goes
  bool deleted = false;           ///< marked for deletion
  bool edited = false;            ///< its spec, since it was made: it measures something else
  std::optional<Time> created;    ///< absent only before the server has said so
  Phase phase = Phase::kPending;
  std::string message;  ///< of the phase
  std::optional<Measured> measured;
  std::vector<std::string> nodes;
  std::string image_id;
  int restarts = 0;

  bool is_over() const { return phase == Phase::kSucceeded || phase == Phase::kFailed; }
};

/// Reads a GanTraining with the label of this sweep.
Child observe_child(const Json& training, const ScalingSweep& sweep);

}  // namespace ganscale::controller::scaling_sweep
