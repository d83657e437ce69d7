#include "gan_training/reconcile/worker_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "support/loopback_server.h"
#include "support/wait_until.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

const Key kKey{"n", "a"};

LoopbackServer::Answer worker(const std::string& body) {
  return [body](const std::string&, const LoopbackServer::Write& write) {
    write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: "
        "close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  };
}

TEST(WorkerProbe, ReturnsTheStatusOfTheAttemptThatItAsked) {
  const LoopbackServer server(worker(R"({"state":"running","images_seen":12500})"));
  std::atomic<int> news{0};
  WorkerProbe probe(milliseconds(20), 2, [&](const Key&) { ++news; });
  probe.watch(kKey, {.url = server.url(), .token = "secret", .attempt = 3, .stop = false});
  wait_until([&] { return probe.latest(kKey, 3).has_value(); });
  EXPECT_EQ(probe.latest(kKey, 3)->images_seen, 12500);
  EXPECT_FALSE(probe.latest(kKey, 4));
  EXPECT_THAT(server.requests().at(0), HasSubstr("Authorization:Bearer secret"));
  wait_until([&] { return server.requests().size() > 3; });
  EXPECT_EQ(news, 1);  // it said the same each time
  probe.forget(kKey);
  EXPECT_FALSE(probe.latest(kKey, 3));
}

TEST(WorkerProbe, AsksARunningWorkerToStop) {
  const LoopbackServer server(worker(R"({"state":"running"})"));
  WorkerProbe probe(std::chrono::hours(1), 1, [](const Key&) {});
  probe.watch(kKey, {.url = server.url(), .token = "secret", .attempt = 1, .stop = true});
  wait_until([&] { return server.requests().size() >= 2; });
  EXPECT_THAT(server.requests().at(1), HasSubstr("POST /commands"));
  EXPECT_THAT(server.requests().at(1), HasSubstr(R"({"command":"stop"})"));
}

/// A worker that does not answer until it is released, and notes which were asked.
class Busy {
 public:
  std::string url_of(const std::string& name) const { return server_.url() + "/" + name; }
  std::size_t asked() const { return server_.requests().size(); }
  std::string request(std::size_t i) const { return server_.requests().at(i); }
  void let_go() { held_ = false; }

 private:
  std::atomic<bool> held_{true};
  LoopbackServer server_{[this](const std::string&, const LoopbackServer::Write& write) {
    wait_until([this] { return !held_; });
    worker(R"({"state":"done"})")("", write);
  }};
};

TEST(WorkerProbe, AsksStoppingWorkersFirstThenEveryNamespaceInTurn) {
  Busy busy;
  WorkerProbe probe(std::chrono::hours(1), 1, [](const Key&) {});
  const auto watch = [&](const Key& key, bool stop) {
    probe.watch(key, {.url = busy.url_of(key.name), .token = "", .attempt = 1, .stop = stop});
  };
  watch({"a", "first"}, false);
  wait_until([&] { return busy.asked() == 1; });  // the one thread waits for it
  watch({"z", "poll-z"}, false);
  watch({"b", "poll-b"}, false);
  watch({"y", "stop-y"}, true);
  busy.let_go();
  wait_until([&] { return busy.asked() == 4; });
  EXPECT_THAT(busy.request(1), HasSubstr("stop-y"));
  EXPECT_THAT(busy.request(2), HasSubstr("poll-z")) << "it was due before poll-b";
  EXPECT_THAT(busy.request(3), HasSubstr("poll-b"));
}

TEST(WorkerProbe, PrefersNamespacesThatHaveNoProbeInProgress) {
  Busy of_a;
  Busy of_c;
  Busy rest;
  rest.let_go();
  WorkerProbe probe(std::chrono::hours(1), 2, [](const Key&) {});
  const auto watch = [&](const Key& key, const Busy& worker) {
    probe.watch(key, {.url = worker.url_of(key.name), .token = "", .attempt = 1, .stop = false});
  };
  watch({"a", "one"}, of_a);
  watch({"c", "one"}, of_c);
  wait_until([&] { return of_a.asked() == 1 && of_c.asked() == 1; });  // no thread is left
  watch({"a", "two"}, rest);
  watch({"b", "other"}, rest);
  of_c.let_go();
  wait_until([&] { return rest.asked() == 2; });
  EXPECT_THAT(rest.request(0), HasSubstr("other")) << "a probe of namespace a is in progress";
  EXPECT_THAT(rest.request(1), HasSubstr("two"));
  of_a.let_go();
}

TEST(WorkerProbe, ReportsNothingWithoutAValidAnswer) {
  const LoopbackServer server(worker("nonsense"));
  WorkerProbe probe(milliseconds(5), 1, [](const Key&) {});
  probe.watch(kKey, {.url = server.url(), .token = "", .attempt = 1, .stop = false});
  wait_until([&] { return server.requests().size() >= 3; });
  EXPECT_FALSE(probe.latest(kKey, 1));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
