#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "api/worker_schema.h"
#include "decide/life.h"
#include "decide/status.h"
#include "decide/validate.h"
#include "runtime/caches.h"
#include "runtime/events.h"
#include "runtime/worker_probe.h"

namespace ganscale::controller {

/// Brings one training nearer to what is asked for: looks, decides (decide/), stores what it
/// decided in the status, does it. It acts on what is there, never on what happened, so it may be
/// called at any time, and be killed at any time.
class Reconciler {
 public:
  struct Parts {
    Client& client;
    Caches& caches;
    WorkerProbe& probe;
    EventRecorder& events;
    const NodeProfiles& profiles;
    const WorkerSchema& schema;
    std::string operator_namespace;
    std::string token_key;  ///< secret: each training's control token is derived from it
    std::function<Time()> now;
  };

  explicit Reconciler(Parts parts) : parts_(std::move(parts)) {}

  /// Returns when to look again at the latest, if nothing changes. Throws ApiError, TransportError.
  std::optional<std::chrono::seconds> reconcile(const Key& key);

 private:
  struct Look;
  struct Child;

  Look look(const GanTraining& training);
  void look_at_attempts(const GanTraining& training, Look& look);
  std::string config_from(const GanTraining& training);
  void check_claims(Look& look);
  void look_at_purge(Look& look);
  void act(const GanTraining& training, const Look& seen, const Decision& decision);
  Json status_of(const GanTraining& training, const Look& look, const Record& record);
  Json store(const GanTraining& training, const Json& status);
  std::vector<Child> children(const Look& look, const Record& record);
  bool keep_children(const GanTraining& training, const Look& look, const Record& record);
  void keep(const GanTraining& training, const Child& child);
  void drop_budget(const GanTraining& training);
  void take_steps(const GanTraining& training, const Look& look, const Decision& decision);
  void start_attempt(const GanTraining& training, const Look& look, const Record& record);
  bool still_stands(const GanTraining& training, const Record& record, const Json& stored);
  void purge(const GanTraining& training, const Plan& plan);
  void delete_attempts(const GanTraining& training, const Record& record);
  void set_finalizer(const GanTraining& training, bool wanted);
  void follow_worker(const Look& look, const Decision& decision);
  std::string token(const std::string& uid) const;

  Parts parts_;
};

}  // namespace ganscale::controller
