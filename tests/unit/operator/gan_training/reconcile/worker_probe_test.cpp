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

TEST(WorkerProbe, HearsTheStatusOfTheAttemptThatItAsked) {
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

TEST(WorkerProbe, SaysNothingWhileNobodyAnswersSensibly) {
  const LoopbackServer server(worker("nonsense"));
  WorkerProbe probe(milliseconds(5), 1, [](const Key&) {});
  probe.watch(kKey, {.url = server.url(), .token = "", .attempt = 1, .stop = false});
  wait_until([&] { return server.requests().size() >= 3; });
  EXPECT_FALSE(probe.latest(kKey, 1));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
