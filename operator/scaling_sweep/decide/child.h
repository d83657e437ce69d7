#pragma once

#include <optional>
#include <string>
#include <vector>

#include "object/json.h"
#include "object/time.h"
#include "scaling_sweep/decide/record.h"

namespace ganscale::controller::scaling_sweep {

/// The observed state of a GanTraining of a sweep.
struct Child {
  std::string name;
  std::string uid;
  std::string hash;
  bool owned = false;           ///< by this sweep, not by an earlier one of the same name
  bool deleted = false;         ///< marked for deletion
  std::optional<Time> created;  ///< absent only before the server has said so
  Phase phase = Phase::kPending;
  std::string message;  ///< of the phase
  std::optional<Measured> measured;
  std::vector<std::string> nodes;
  std::string image_id;
  int restarts = 0;

  bool is_over() const { return phase == Phase::kSucceeded || phase == Phase::kFailed; }
};

/// Reads a GanTraining with the label of the sweep with this uid.
Child observe_child(const Json& training, const std::string& sweep_uid);

}  // namespace ganscale::controller::scaling_sweep
