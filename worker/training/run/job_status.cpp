#include "training/run/job_status.h"

#include <cstdlib>
#include <iostream>

#include "wire/names.h"

namespace ganscale::training {

wire::JobStatus first_status(const RunConfig& config, const RunFolder& folder, int world_size,
                             const std::optional<wire::Preflight>& preflight) {
  const char* restarts = std::getenv(wire::environment::kRestarts);
  wire::JobStatus status;
  status.run = folder.name();
  status.model = config.model.name;
  status.scheme = config.scheme.name;
  status.total_images = config.training.total_images();
  status.world_size = world_size;
  status.restarts = restarts == nullptr ? 0 : std::atoi(restarts);
  status.preflight = preflight;
  return status;
}

void print_last_status(const wire::JobStatus& status) {
  if (std::getenv(wire::environment::kLeaveStatus) == nullptr) return;
  // The name of a run folder need not be UTF-8.
  std::cout << wire::kLastStatus
            << to_json(status).dump(-1, ' ', false,
                                    nlohmann::ordered_json::error_handler_t::replace)
            << std::endl;
}

}  // namespace ganscale::training
