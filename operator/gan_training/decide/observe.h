#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gan_training/plan/plan.h"
#include "object/json.h"
#include "object/time.h"
#include "wire/job_status.h"

namespace ganscale::controller::gan_training {

enum class JobPhase { kCreated, kQueued, kRunning, kSucceeded, kFailed };

/// The observed state of an attempt: its MPIJob and its pods.
struct Attempt {
  int number = 0;
  std::string name;
  std::string uid;
  bool deleted = false;  ///< marked for deletion
  std::string request;   ///< of the plan that it was made of
  std::string hash;
  std::string config_hash;
  int nodes = 0;
  int control_port = 0;  ///< of rank 0, as its pods were made; 0: none
  JobPhase phase = JobPhase::kCreated;
  bool suspended = false;          ///< held back or preempted by its queue
  std::string message;             ///< of a failure: the worker's own last words, else the MPIJob's
  std::optional<int> exit_code;    ///< of a failed launcher
  std::optional<int> failed_rank;  ///< that wrote the last error; nothing if that is unknown
  std::vector<std::string> failed_nodes;  ///< where a device or the fabric failed, if it is known
  std::optional<wire::Preflight> preflight;  ///< its result, once the worker has told it
  std::string lost;                          ///< which pod was lost and why; empty if none
  std::string leaving;          ///< which pod is to leave its node and why; it still runs
  bool disrupted = false;       ///< Kubernetes took a pod: an eviction, a drain, a lost node
  std::string waits_reason;     ///< why a pod does not run: Unschedulable, ImagePullBackOff, ...
  std::string waits;            ///< which pod that is, and the words about it
  std::optional<Time> started;  ///< when it was admitted, or made
  bool lacks_pods = false;      ///< workers, or the launcher though all of them run
  int workers_running = 0;
  std::vector<std::string> node_names;  ///< of the running workers
  std::string image_id;                 ///< of the first worker, with its digest
  std::string rank0_address;  ///< IP address of the first worker; empty if it has none yet
  std::optional<wire::JobStatus> last_status;  ///< the one it left at its end

  bool finished() const { return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed; }
};

/// Reads an attempt from its MPIJob and the pods labeled with its number.
Attempt observe_attempt(const Json& job, const std::vector<Json>& pods);

/// Notes that pods are on nodes that are to be drained: so that the attempt leaves them.
///
/// job: whose pods run on such nodes, too, if it lets them tolerate that. The spec may say something
/// else by now, or be refused. is_cordoned: of a node's name.
void observe_cordons(const Json& job, const std::vector<Json>& pods,
                     const std::function<bool(const std::string&)>& is_cordoned, Attempt& attempt);

/// Reads the number of an attempt from the label of its MPIJob or pod; 0 if there is none.
int attempt_number(const Json& object);

/// Whether a pod belongs to a job: its controller is an MPIJob, or the Job of a launcher or a purge.
/// A copy of one, as `kubectl debug` makes, may have its labels.
bool is_of_job(const Json& pod);

/// Returns the part of a pod that observe_attempt reads, so that a cache of thousands stays small.
Json essential_pod(const Json& pod);

/// Returns the last line with an error of the worker's in a launcher's last words, without the
/// prefix; the last line if there is none.
std::string worker_error(const std::string& last_words);

}  // namespace ganscale::controller::gan_training
