#include "controller/run_operator.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/log.h"
#include "controller/controller.h"
#include "controller/health_server.h"

namespace ganscale::controller {
namespace {

constexpr std::chrono::seconds kAnswerWithin{15};
// Several tries must fit into the deadline of the Lease.
constexpr std::chrono::seconds kLeaseAnswerWithin{3};
// The server sends a bookmark about once a minute, unless nothing has changed since the list: a
// watch that is silent for longer may be half closed, and starts with a new list.
constexpr std::chrono::seconds kSilentWatch{90};
constexpr std::chrono::milliseconds kPollEvery{50};

Time current_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// A kind and the controller that reconciles it.
struct RunningKind {
  RunningKind(const KindEntry& entry, KindContext context, std::chrono::seconds look_for_rights)
      : look_again_in(look_for_rights),
        controller(entry.controller, [this](const Key& key) { return reconcile(key); }) {
    context.enqueue = [this](const Key& key) { controller.queue().add(key); };
    kind = entry.make(context);
  }

  /// Waits while some objects of the namespace can't be listed: a kind takes what is not in its
  /// cache for gone, and would start an attempt beside pods that still write.
  std::optional<std::chrono::seconds> reconcile(const Key& key) {
    const bool knows_all = std::ranges::all_of(kind->informers(), [&](const Informer* informer) {
      return informer->knows(key.name_space);
    });
    if (!knows_all) return look_again_in;
    return kind->reconcile(key);
  }

  const std::chrono::seconds look_again_in;
  Controller controller;
  std::unique_ptr<Kind> kind;  // goes first: its threads enqueue
};
using RunningKinds = std::vector<std::unique_ptr<RunningKind>>;

bool all_informers(const RunningKinds& kinds, const std::function<bool(const Informer&)>& hold) {
  return std::ranges::all_of(kinds, [&](const auto& running) {
    return std::ranges::all_of(running->kind->informers(),
                               [&](const Informer* informer) { return hold(*informer); });
  });
}

bool all_synced(const RunningKinds& kinds) {
  return all_informers(kinds, [](const Informer& informer) { return informer.synced(); });
}

bool all_alive(const RunningKinds& kinds) {
  return all_informers(kinds, [](const Informer& informer) { return informer.alive(); });
}

std::vector<telemetry::Family> collect(const OperatorMetrics& metrics, const RunningKinds& kinds) {
  Families families;
  metrics.collect(families);
  for (const auto& running : kinds) running->controller.collect(families);
  for (const auto& running : kinds) running->kind->collect(families);
  return families.all();
}

/// Lets a kind prepare, again and again while that fails: the API server may be away. Returns
/// false if `stopped` says so first.
bool begin_to_lead(RunningKind& running, const Stopped& stopped) {
  while (!stopped()) {
    try {
      running.kind->begin_to_lead();
      return true;
    } catch (const std::exception& error) {
      log::warning("Can't start leading",
                   {{"controller", running.controller.name()}, {"what", error.what()}});
      sleep_unless(stopped, std::chrono::seconds(1));
    }
  }
  return false;
}

/// The operator while it leads. Ends when `stopped` says so, after the last reconcile. The metrics
/// say that it leads only once every kind has begun: before that, nobody reconciles some of them.
void lead(const RunningKinds& kinds, int workers, const Stopped& stopped,
          OperatorMetrics& metrics) {
  std::atomic<std::size_t> begun{0};
  std::vector<std::thread> threads;
  for (const auto& running : kinds) {
    threads.emplace_back([&, &running = *running] {
      if (!begin_to_lead(running, stopped)) return;
      if (++begun == kinds.size()) metrics.set_leading(true);
      running.controller.run(workers, stopped);
    });
  }
  for (auto& thread : threads) thread.join();
  metrics.set_leading(false);
}

/// Renews the Lease, and ends the process at its deadline, even if something hangs: a request for
/// it, a reconcile, or the log.
class LeaseKeeper {
 public:
  LeaseKeeper(LeaderElector& elector, const std::string& identity)
      : renewal_([this, &elector] { elector.keep_leading([this] { return finished_.load(); }); }),
        watchdog_([this, &elector, identity] { watch(elector, identity); }) {}
  /// Gives the Lease free.
  ~LeaseKeeper() {
    finished_ = true;
    renewal_.join();
    watchdog_.join();
  }

 private:
  void watch(const LeaderElector& elector, const std::string& identity) {
    while (!finished_) {
      if (!elector.leads() && !finished_) {  // in this order: one that was given free is not lost
        alarm(1);                            // the end, should the log hang
        log::error("Lost the lease", {{"identity", identity}});
        std::_Exit(static_cast<int>(ExitCode::kPeerLost));
      }
      std::this_thread::sleep_for(kPollEvery);
    }
  }

  std::atomic<bool> finished_{false};
  std::thread renewal_;
  std::thread watchdog_;
};

}  // namespace

ExitCode run_operator(const OperatorSettings& settings, const std::vector<KindEntry>& entries,
                      const Stopped& stopped) {
  OperatorMetrics metrics(settings.lease_name);
  Client::Hooks hooks;
  hooks.on_request = [&](const std::string& method, int code, auto took) {
    metrics.on_request(method, code, took);
  };
  // A pause that the server asks for must not hold up the end.
  hooks.sleep = [&stopped](std::chrono::milliseconds time) { sleep_unless(stopped, time); };
  Client::Hooks lease_hooks = hooks;
  lease_hooks.tries_again = false;
  const auto lease_transport = settings.connect(kLeaseAnswerWithin);
  Client lease_client(*lease_transport, lease_hooks);
  LeaderElector elector(lease_client, {settings.name_space, settings.lease_name}, settings.identity,
                        settings.lease);
  hooks.may_write = [&elector] { return elector.leads(); };
  const auto transport = settings.connect(kAnswerWithin);
  Client client(*transport, hooks);
  EventRecorder events(client, settings.identity);
  const KindContext context{.client = client,
                            .hooks = hooks,
                            .events = events,
                            .connect_watch = [&] { return settings.connect(kSilentWatch); },
                            .enqueue = {},  // each kind has its own
                            .name_space = settings.name_space,
                            .watched = settings.watched,
                            .now = current_time};
  RunningKinds kinds;
  for (const KindEntry& entry : entries) {
    kinds.push_back(std::make_unique<RunningKind>(entry, context, settings.look_for_rights));
  }
  const telemetry::Exposer exposer(settings.metrics, [&] { return collect(metrics, kinds); });
  const HealthServer health(settings.health_address, {.ready = [&] { return all_synced(kinds); },
                                                      .alive = [&] { return all_alive(kinds); }});
  for (const auto& running : kinds) {
    for (Informer* informer : running->kind->informers()) informer->start();
  }
  while (!all_synced(kinds)) {
    if (!sleep_unless(stopped, kPollEvery)) return ExitCode::kOk;
  }
  if (!elector.wait_to_lead(stopped)) return ExitCode::kOk;

  const LeaseKeeper keeper(elector, settings.identity);
  lead(kinds, settings.workers, stopped, metrics);
  events.close();  // the last events are written before the lease is given free
  return ExitCode::kOk;
}

}  // namespace ganscale::controller
