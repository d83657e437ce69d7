#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kube/client.h"
#include "object/time.h"

namespace ganscale::controller::gan_training {

/// The warnings about MPIJobs and Jobs: only these events say why pods cannot be created. The API
/// server has no cache of events and reads all of a namespace for each list. So they are listed
/// only when asked for, and a list serves all trainings of its namespace for ten seconds.
class PodWarnings {
 public:
  /// Returns the warnings about an MPIJob and its launcher's Job (events.k8s.io/v1; only the note
  /// and the times), none without permission to list events. While another thread lists them, the
  /// previous ones. Throws ApiError, TransportError; then the previous ones serve for ten seconds.
  std::vector<Json> about(const Key& job, Time now, Client& client);

 private:
  using ByName = std::multimap<std::string, Json>;  // the name of the MPIJob or Job

  struct Listed {
    Time when{};
    ByName warnings;
  };

  static ByName list(const std::string& name_space, Client& client);

  std::mutex mutex_;
  std::map<std::string, Listed> listed_;  // by namespace
};

}  // namespace ganscale::controller::gan_training
