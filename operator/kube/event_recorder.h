#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "kube/client.h"
#include "object/event.h"

namespace ganscale::controller {

/// Writes Events about objects on its own thread, without blocking the caller. Repetitions within
/// ten minutes are counted as a series. Events that can't be written are logged.
class EventRecorder {
 public:
  EventRecorder(Client& client, std::string instance);
  ~EventRecorder() { close(); }

  void record(const ObjectReference& regarding, const Event& event);
  /// Writes the pending events, until one fails, and ends the thread. Later events are ignored.
  void close();

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
  bool count(const Waiting& waiting);
  bool write(const Waiting& waiting);
  void forget_old();

  Client& client_;
  const std::string instance_;
  std::map<std::string, Series> recent_;  // of the thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ganscale::controller
