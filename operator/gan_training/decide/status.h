#pragma once

#include <optional>
#include <string>

#include "gan_training/decide/life.h"
#include "wire/job_status.h"

namespace ganscale::controller::gan_training {

/// What a status says in addition to the record.
struct Facts {
  std::int64_t generation = 0;
  std::string model;  ///< that the configuration names; empty: it names none
  int nodes = 0;
  int gpus = 0;
  int ranks = 0;
  std::string selector;  ///< of the worker pods
  std::string problem_reason;
  std::string problem;
  std::optional<Attempt> attempt;
  std::optional<wire::JobStatus> worker;  ///< what rank 0 said last
  Time now;
};

/// Returns the whole status: `old` with the record, the conditions and the worker's numbers applied
/// to it. Fields that it does not know stay; the time of a condition changes only with its status.
Json next_status(const Json& old, const Record& record, const Facts& facts);

/// Returns how long a GanTraining that does not run has been waiting to: since a condition of it
/// changed, or since it was made. Zero if it runs, is suspended or is over.
std::chrono::seconds waiting_time(const Json& training, Time now);

}  // namespace ganscale::controller::gan_training
