#include "controller/run_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "support/fake_api_server.h"
#include "support/free_port.h"
#include "support/loopback_http.h"
#include "support/wait_until.h"
#include "unit/operator/controller/widget_kind.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

/// Returns an answer; an empty one while no server listens.
std::string answer_of(int port, const std::string& path) {
  try {
    LoopbackConnection connection(port);
    connection.write("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return connection.read_to_end();
  } catch (const std::runtime_error&) {
    return "";
  }
}

/// An operator with the kinds of a table, next to a server, until it is destroyed.
class RunningOperator {
 public:
  /// watched: namespaces; empty: all.
  RunningOperator(FakeApiServer& server, std::vector<KindEntry> kinds,
                  const std::vector<std::string>& watched = {},
                  const std::string& lease_name = kDefaultLeaseName)
      : thread_([this, &server, kinds = std::move(kinds), watched, lease_name] {
          const OperatorSettings settings{
              .connect = [&server](std::chrono::seconds) { return server.connect(); },
              .name_space = "ops",
              .lease_name = lease_name,
              .watched = watched,
              .identity = "me",
              .look_for_rights = std::chrono::seconds(1),
              .metrics = {"127.0.0.1", metrics_port},
              .health_address = "127.0.0.1:" + std::to_string(health_port)};
          code_ = run_operator(settings, kinds, [this] { return stopped_.load(); });
        }) {}
  ~RunningOperator() { stop(); }
  ExitCode stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    return code_;
  }

  const int metrics_port = free_port();
  const int health_port = free_port();

 private:
  std::atomic<bool> stopped_{false};
  ExitCode code_ = ExitCode::kBug;
  std::thread thread_;
};

Json widget(const std::string& name, const std::string& name_space = "team") {
  return {{"metadata", {{"name", name}, {"namespace", name_space}}}, {"spec", {{"size", 3}}}};
}

bool has_map(const FakeApiServer& server, const std::string& name,
             const std::string& name_space = "team") {
  return !server.get(resource::kConfigMaps, {name_space, name}).is_null();
}

TEST(RunOperator, ReconcilesAKindThatIsALineInTheTable) {
  FakeApiServer server;
  server.put(kWidgets, widget("listed"));
  RunningOperator running(server, {widget_kind()});
  wait_until([&] { return has_map(server, "listed"); });
  server.put(kWidgets, widget("watched"));
  wait_until([&] { return has_map(server, "watched"); });
  EXPECT_EQ(server.get(resource::kConfigMaps, {"team", "watched"})["data"]["spec"],
            R"({"size":3})");
  EXPECT_EQ(running.stop(), ExitCode::kOk);
}

TEST(RunOperator, ShowsEachControllersMetricsUnderItsName) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  KindEntry second = widget_kind();
  second.controller = "gadget";
  RunningOperator running(server, {widget_kind(), second});
  wait_until([&] {
    const std::string page = answer_of(running.metrics_port, "/metrics");
    return page.find(
               R"(controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 1)") !=
               std::string::npos &&
           page.find(
               R"(controller_runtime_reconcile_total{controller="gadget",result="requeue_after"} 1)") !=
               std::string::npos;
  });
  const std::string page = answer_of(running.metrics_port, "/metrics");
  EXPECT_THAT(page, HasSubstr(R"(workqueue_depth{name="gadget"} 0)"));
  EXPECT_THAT(page, HasSubstr(R"(leader_election_master_status{name="ganscale-operator"} 1)"));
  EXPECT_THAT(page, HasSubstr("example_widgets 1"));
  EXPECT_THAT(answer_of(running.health_port, "/readyz"), HasSubstr("200 OK"));
}

TEST(RunOperator, LeadsBeforeItWritesAndGivesTheLeaseFreeAfterTheLastEvent) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  {
    RunningOperator running(server, {widget_kind()});
    wait_until([&] { return has_map(server, "a"); });
    EXPECT_EQ(running.stop(), ExitCode::kOk);
  }
  std::vector<std::string> writes;
  for (const auto& request : server.requests()) {
    if (request.method == "GET") continue;
    const bool is_lease = request.path.find("/leases") != std::string::npos;
    const bool is_event = request.path.find("/events") != std::string::npos;
    writes.emplace_back(is_lease ? "lease" : is_event ? "event" : "widget");
  }
  EXPECT_EQ(writes.front(), "lease");
  EXPECT_EQ(writes.back(), "lease");
  EXPECT_EQ(holder_of(server.get(resource::kLeases, {"ops", "ganscale-operator"})), "");
  EXPECT_THAT(writes, testing::Contains("event"));
}

TEST(RunOperator, WritesNothingWhileAnotherLeads) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  server.put(resource::kLeases,
             {{"metadata", {{"name", "ganscale-operator"}, {"namespace", "ops"}}},
              {"spec", {{"holderIdentity", "other"}, {"leaseDurationSeconds", 3600}}}});
  RunningOperator running(server, {widget_kind()});
  wait_until([&] { return server.count("GET", "/leases/") > 0; });
  EXPECT_THAT(answer_of(running.health_port, "/readyz"), HasSubstr("200 OK"));
  EXPECT_THAT(answer_of(running.metrics_port, "/metrics"), HasSubstr("example_widgets 1"));
  EXPECT_EQ(running.stop(), ExitCode::kOk);
  EXPECT_FALSE(has_map(server, "a"));
}

TEST(RunOperator, LeadsNextToAnOperatorWithAnotherLease) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  server.put(resource::kLeases,
             {{"metadata", {{"name", kDefaultLeaseName}, {"namespace", "ops"}}},
              {"spec", {{"holderIdentity", "other"}, {"leaseDurationSeconds", 3600}}}});
  const RunningOperator running(server, {widget_kind()}, {}, "gans");
  wait_until([&] { return has_map(server, "a"); });
  EXPECT_EQ(holder_of(server.get(resource::kLeases, {"ops", "gans"})), "me");
  EXPECT_EQ(holder_of(server.get(resource::kLeases, {"ops", kDefaultLeaseName})), "other");
}

TEST(RunOperator, ServesTheOtherNamespacesIfOneIsGone) {
  FakeApiServer server;
  server.forbid("/namespaces/gone/");
  server.put(kWidgets, widget("a"));
  RunningOperator running(server, {widget_kind()}, {"gone", "team"});
  wait_until([&] { return has_map(server, "a"); });
  EXPECT_THAT(answer_of(running.health_port, "/readyz"), HasSubstr("200 OK"));
}

TEST(RunOperator, EndsThoughTheServerAsksItToComeAgainLater) {
  FakeApiServer server;
  for (int i = 0; i < 10; ++i) server.put_off_next("GET", "/widgets", std::chrono::seconds(10));
  RunningOperator running(server, {widget_kind()});
  wait_until([&] { return server.count("GET", "/widgets") > 0; });
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(running.stop(), ExitCode::kOk);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(60))
      << "the pauses add up to 90 s";
}

/// A kind that also reads pods, as one does that starts no pod beside another.
class PodReadingKind : public WidgetKind {
 public:
  explicit PodReadingKind(const KindContext& context)
      : WidgetKind(context),
        pods_(context.connect_watch, context.hooks,
              {.resource = resource::kPods,
               .name_spaces = context.watched,
               .backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(2)}},
              [](const Json&) {}) {}

  std::vector<Informer*> informers() override {
    auto list = WidgetKind::informers();
    list.push_back(&pods_);
    return list;
  }

 private:
  Informer pods_;
};

/// Returns the number after these words on a page of metrics; 0 if they are not there.
int metric(const std::string& page, const std::string& words) {
  const auto at = page.find(words + " ");
  return at == std::string::npos ? 0 : std::stoi(page.substr(at + words.size() + 1));
}

TEST(RunOperator, TouchesNothingInANamespaceOfWhichItKnowsOnlyAPart) {
  FakeApiServer server;
  server.forbid("/namespaces/half/pods");
  server.put(kWidgets, widget("a"));
  server.put(kWidgets, widget("b", "half"));
  const KindEntry kind{"widget", [](const KindContext& context) {
                         return std::make_unique<PodReadingKind>(context);
                       }};
  RunningOperator running(server, {kind}, {"half", "team"});
  wait_until([&] {
    return metric(answer_of(running.metrics_port, "/metrics"),
                  R"(reconcile_total{controller="widget",result="requeue_after"})") >= 2;
  });
  wait_until([&] { return has_map(server, "a"); });
  EXPECT_FALSE(has_map(server, "b", "half"));
  server.allow();
  wait_until([&] { return has_map(server, "b", "half"); });
}

/// Runs an operator whose requests for its Lease hang once it leads. Does not return.
void lead_until_the_lease_hangs() {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  std::thread cut([&] {
    wait_until([&] { return has_map(server, "a"); });
    server.hang("/leases/");
  });
  OperatorSettings settings;
  settings.connect = [&](std::chrono::seconds) { return server.connect(); };
  settings.name_space = "ops";
  settings.identity = "me";
  settings.lease = {.duration = std::chrono::milliseconds(1500),
                    .deadline = std::chrono::milliseconds(1000),
                    .retry = std::chrono::milliseconds(50)};
  settings.metrics = {"127.0.0.1", free_port()};
  settings.health_address = "127.0.0.1:" + std::to_string(free_port());
  run_operator(settings, {widget_kind()}, [] { return false; });
}

TEST(RunOperatorDeathTest, EndsAtTheDeadlineOfTheLeaseThoughTheRequestsForItHang) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(lead_until_the_lease_hangs(),
              testing::ExitedWithCode(static_cast<int>(ExitCode::kPeerLost)), "Lost the lease");
}

/// A kind that begins to lead as a test says.
class LateKind : public WidgetKind {
 public:
  LateKind(const KindContext& context, std::function<void()> begin)
      : WidgetKind(context), begin_(std::move(begin)) {}
  void begin_to_lead() override { begin_(); }

 private:
  const std::function<void()> begin_;
};

KindEntry late_kind(const std::function<void()>& begin) {
  return {"late", [begin](const KindContext& context) {
            return std::make_unique<LateKind>(context, begin);
          }};
}

TEST(RunOperator, LetsAKindBeginAgain) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  std::atomic<int> tried{0};
  RunningOperator running(server, {late_kind([&] {
                            if (++tried == 1) throw ApiError(403, "Forbidden", "not yet");
                          })});
  wait_until([&] { return has_map(server, "a"); });
  EXPECT_EQ(tried, 2);
}

TEST(RunOperator, ShowsThatItLeadsOnceEachKindHasBegun) {
  FakeApiServer server;
  server.put(kWidgets, widget("a"));
  std::atomic<bool> may_begin{false};
  RunningOperator running(server, {widget_kind(), late_kind([&] {
                                     if (!may_begin) throw ApiError(403, "Forbidden", "not yet");
                                   })},
                          {}, "gans");
  const std::string leads = R"(leader_election_master_status{name="gans"})";
  wait_until([&] { return has_map(server, "a"); });  // the other kind holds up nothing
  EXPECT_THAT(answer_of(running.metrics_port, "/metrics"), HasSubstr(leads + " 0"));
  may_begin = true;
  wait_until([&] { return metric(answer_of(running.metrics_port, "/metrics"), leads) == 1; });
}

}  // namespace
}  // namespace ganscale::controller
