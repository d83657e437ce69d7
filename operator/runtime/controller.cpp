#include "runtime/controller.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/log.h"
#include "decide/status.h"
#include "kube/rest_transport.h"
#include "runtime/health_server.h"
#include "runtime/operator_metrics.h"
#include "runtime/reconciler.h"

namespace ganscale::controller {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kAnswerWithin{15};
// The server sends a bookmark about once a minute: a watch that is silent for longer is half
// closed.
constexpr std::chrono::seconds kSilentWatch{90};
constexpr int kProbeThreads = 4;
constexpr const char* kTokenKeySecret = "ganscale-operator-key";
constexpr const char* kLeaseName = "ganscale-operator";

Time present() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string random_key() {
  std::array<unsigned char, 32> bytes{};
  check(RAND_bytes(bytes.data(), bytes.size()) == 1, "the system has random bytes");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

/// Returns the key of all control tokens, the same for every operator of this namespace: drawn
/// once, kept in a Secret.
std::string token_key(Client& client, const std::string& name_space) {
  const Key key{name_space, kTokenKeySecret};
  if (!client.get(resource::kSecrets, key)) {
    try {
      client.create(resource::kSecrets,
                    {{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", {{"name", key.name}, {"namespace", key.name_space}}},
                     {"stringData", {{"key", random_key()}}}});
    } catch (const ApiError& error) {
      if (error.code() != 409) throw;  // another was faster
    }
  }
  const auto secret = client.get(resource::kSecrets, key);
  if (!secret) throw ApiError(404, "NotFound", "the Secret is gone again: " + key.text());
  return (*secret)["data"].value("key", "");
}

/// Takes keys off the queue and reconciles them, until the queue is shut.
void work(WorkQueue& queue, Reconciler& reconciler, OperatorMetrics& metrics) {
  while (const auto item = queue.get()) {
    const auto began = Clock::now();
    metrics.on_queued(began - item->added);
    metrics.add_active_worker(1);
    std::string result = "success";
    try {
      const auto again_in = reconciler.reconcile(item->key);
      queue.forget(item->key);
      if (again_in) {
        queue.add_after(item->key, *again_in);
        result = "requeue_after";
      }
    } catch (const ApiError& error) {
      result = "error";
      // 409: our copy is behind; it will have come by the next look.
      if (error.code() != 409)
        log::warning("Reconcile failed", {{"training", item->key.text()}, {"what", error.what()}});
      queue.add_after_failure(item->key);
    } catch (const std::exception& error) {
      result = "error";
      log::warning("Reconcile failed", {{"training", item->key.text()}, {"what", error.what()}});
      queue.add_after_failure(item->key);
    }
    metrics.add_active_worker(-1);
    metrics.on_reconcile(result, Clock::now() - began);
    queue.done(item->key);
  }
}

std::map<std::string, int> count_by_phase(const Caches& caches) {
  std::map<std::string, int> counts;
  for (const auto& object : caches.trainings->all()) {
    ++counts[object->value(Json::json_pointer("/status/phase"), "Pending")];
  }
  return counts;
}

std::chrono::seconds longest_wait(const Caches& caches) {
  std::chrono::seconds longest{0};
  for (const auto& object : caches.trainings->all()) {
    longest = std::max(longest, waiting_time(*object, present()));
  }
  return longest;
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

/// The operator while it leads: workers on the queue. Ends when `stopped` says so, after each
/// worker has finished what it has in hand.
void lead(WorkQueue& queue, Reconciler& reconciler, OperatorMetrics& metrics, int worker_count,
          const std::function<bool()>& stopped) {
  metrics.set_leading(true);
  std::vector<std::thread> workers;
  for (int i = 0; i < worker_count; ++i) {
    workers.emplace_back([&] { work(queue, reconciler, metrics); });
  }
  while (!stopped()) nap();
  queue.shut();
  for (auto& worker : workers) worker.join();
  metrics.set_leading(false);
}

/// Waits until it holds; returns false if `stopped` says so first.
bool wait_until(const std::function<bool()>& holds, const std::function<bool()>& stopped) {
  while (!holds()) {
    if (stopped()) return false;
    nap();
  }
  return true;
}

/// Returns what `get` gives, tried again while the API server does not answer.
std::string patiently(const std::function<std::string()>& get,
                      const std::function<bool()>& stopped) {
  while (!stopped()) {
    try {
      return get();
    } catch (const std::exception& error) {
      log::warning("Can't read the token key", {{"what", error.what()}});
      for (int i = 0; i < 20 && !stopped(); ++i) nap();
    }
  }
  return "";
}

}  // namespace

ExitCode run_controller(const ControllerSettings& settings, const NodeProfiles& profiles,
                        const WorkerSchema& schema, const std::function<bool()>& stopped) {
  OperatorMetrics metrics;
  const Client::Hooks hooks{
      .on_request = [&](const std::string& method, int code,
                        auto took) { metrics.on_request(method, code, took); },
      .sleep = {}};
  WorkQueue queue({});
  const auto add = [&](const Key& key) { queue.add(key); };
  Caches caches([&] { return std::make_unique<RestTransport>(settings.access, kSilentWatch); },
                hooks, add);
  RestTransport transport(settings.access, kAnswerWithin);
  Client client(transport, hooks);
  metrics.set_sources({[&] { return queue.counts(); }, [&] { return count_by_phase(caches); },
                       [&] { return longest_wait(caches); }});
  const telemetry::Exposer exposer(settings.metrics, [&] { return metrics.collect(); });
  const HealthServer health(settings.health_address, [&] { return caches.synced(); });
  caches.start();
  if (!wait_until([&] { return caches.synced(); }, stopped)) return ExitCode::kOk;
  LeaderElector elector(client, {settings.name_space, kLeaseName}, settings.identity,
                        settings.lease);
  if (!elector.wait_to_lead(stopped)) return ExitCode::kOk;

  std::atomic<bool> finished{false};
  std::thread election([&] {
    if (elector.keep_leading([&] { return finished.load(); })) return;
    // Another may lead by now: not one more write.
    log::error("The lease is lost", {{"identity", settings.identity}});
    std::_Exit(static_cast<int>(ExitCode::kPeerLost));
  });
  WorkerProbe probe(settings.poll_interval, kProbeThreads, add);
  const std::string key =
      patiently([&] { return token_key(client, settings.name_space); }, stopped);
  {
    // The last events are written before the lease is given free.
    EventRecorder events(client, settings.identity);
    Reconciler reconciler(
        {client, caches, probe, events, profiles, schema, settings.name_space, key, present});
    lead(queue, reconciler, metrics, settings.workers, stopped);
  }
  finished = true;
  election.join();
  return ExitCode::kOk;
}

}  // namespace ganscale::controller
