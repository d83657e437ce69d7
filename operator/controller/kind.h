#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/metrics.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/informer.h"
#include "object/time.h"

namespace ganscale::controller {

/// What a kind needs from the operator. Everything referred to outlives the kind.
struct KindContext {
  Client& client;
  Client::Hooks hooks;  ///< for clients of its own
  EventRecorder& events;
  std::function<std::unique_ptr<Transport>()> connect_watch;  ///< one for each informer
  std::function<void(const Key&)> enqueue;  ///< asks for a reconcile; any thread may call
  std::string name_space;                   ///< the operator's own
  std::vector<std::string> watched{};       ///< namespaces that it looks after; empty: all
  std::function<Time()> now;
};

/// A resource kind that the operator reconciles; one for each custom resource.
class Kind {
 public:
  virtual ~Kind() = default;

  /// Returns its informers. The operator starts them and waits until they have synced.
  virtual std::vector<Informer*> informers() = 0;

  /// Called when this operator starts to lead, before any reconcile; retried if it throws.
  virtual void begin_to_lead() {}

  /// See Controller::Reconcile. Called only for namespaces that all of its informers know.
  virtual std::optional<std::chrono::seconds> reconcile(const Key& key) = 0;

  /// Adds metrics of its own, also while another operator leads.
  virtual void collect(Families&) const {}
};

/// An entry of the table of kinds.
struct KindEntry {
  std::string controller;  ///< its name in metrics: the resource in lower case
  std::function<std::unique_ptr<Kind>(const KindContext&)> make;
};

}  // namespace ganscale::controller
