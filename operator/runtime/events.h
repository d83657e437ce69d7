#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "decide/life.h"
#include "kube/client.h"

namespace ganscale::controller {

/// Writes Events about trainings, on a thread of its own: nothing waits for it. The same one again
/// within ten minutes is counted, not written anew. One that can't be written is logged.
class EventRecorder {
 public:
  EventRecorder(Client& client, std::string instance);
  /// Writes what still waits, until one can't be written.
  ~EventRecorder();

  void record(const GanTraining& training, const Note& note);

 private:
  struct Waiting {
    std::string what;  ///< the same for the same event
    std::string name_space;
    Json event;
  };
  struct Series {
    std::string name;
    int count = 1;
    std::chrono::steady_clock::time_point last;
  };

  void run();
  bool write(const Waiting& waiting);
  void forget_old();

  Client& client_;
  const std::string instance_;
  std::map<std::string, Series> recent_;  // of the thread alone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ganscale::controller
