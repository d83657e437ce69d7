#pragma once

#include <map>
#include <mutex>
#include <string>

#include "decide/life.h"
#include "kube/client.h"

namespace ganscale::controller {

/// Writes Events about trainings. The same one again within ten minutes is counted, not written
/// anew. An Event that can't be written is logged: nothing waits for it.
class EventRecorder {
 public:
  EventRecorder(Client& client, std::string instance);

  void record(const GanTraining& training, const Note& note);

 private:
  struct Series {
    std::string name;
    int count = 1;
    std::chrono::steady_clock::time_point last;
  };

  std::optional<Series> known(const std::string& what);
  void remember(const std::string& what, const std::string& name);

  Client& client_;
  const std::string instance_;
  std::mutex mutex_;
  std::map<std::string, Series> recent_;
};

}  // namespace ganscale::controller
