#include "kube/event_recorder.h"

#include <gtest/gtest.h>

#include "support/fake_api_server.h"
#include "support/wait_until.h"

namespace ganscale::controller {
namespace {

/// Accepts everything, or nothing, and remembers it.
class Listener : public Transport {
 public:
  HttpResponse send(const HttpRequest& request) override {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    return {.status = status_, .body = "{}", .retry_after = {}};
  }
  HttpResponse stream(const HttpRequest&, const std::function<void(std::string_view)>&) override {
    return {};
  }
  void stop() override {}
  void refresh() override {}

  void answer(int status) {
    const std::scoped_lock lock(mutex_);
    status_ = status;
  }
  std::vector<HttpRequest> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  int status_ = 201;
  std::vector<HttpRequest> requests_;
};

ObjectReference faces() { return {"example.com/v1", "Portrait", {"team", "faces"}, "u"}; }

TEST(EventRecorder, WritesPendingEventsAndCountsRepeatedOnes) {
  Listener listener;
  Client client(listener, hooks_without_sleep());
  {
    EventRecorder events(client, "me");
    for (int i = 0; i < 3; ++i) events.record(faces(), {false, "PutBack", "the same"});
    events.record(faces(), {true, "PeerLost", "another"});
  }
  const auto requests = listener.requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(Json::parse(requests[0].body)["regarding"], Json({{"apiVersion", "example.com/v1"},
                                                              {"kind", "Portrait"},
                                                              {"namespace", "team"},
                                                              {"name", "faces"},
                                                              {"uid", "u"}}));
  EXPECT_EQ(requests[1].method, "PATCH");
  EXPECT_EQ(Json::parse(requests[2].body)["series"]["count"], 3);
  EXPECT_EQ(Json::parse(requests[3].body)["type"], "Warning");
}

// The server deletes events after an hour, and anyone may delete one before.
TEST(EventRecorder, WritesARepeatedEventAnewIfTheFirstIsGone) {
  FakeApiServer server;
  const auto transport = server.connect();
  Client client(*transport, hooks_without_sleep());
  {
    EventRecorder events(client, "me");
    events.record(faces(), {false, "PutBack", "the same"});
    wait_until([&] { return server.count("POST", "/events") == 1; });
    server.remove(resource::kEvents, key_of(Json::parse(server.requests().at(0).body)));
    for (int i = 0; i < 2; ++i) events.record(faces(), {false, "PutBack", "the same"});
  }
  EXPECT_EQ(server.count("POST", "/events"), 2U);
  EXPECT_EQ(server.count("PATCH", "/events"), 2U);
  const auto anew = key_of(Json::parse(server.requests().at(2).body));
  EXPECT_EQ(server.get(resource::kEvents, anew)["series"]["count"], 2);
}

TEST(EventRecorder, CutsALongNoteBetweenTwoLetters) {
  Listener listener;
  Client client(listener, hooks_without_sleep());
  {
    EventRecorder events(client, "me");
    std::string text = "x";
    for (int i = 0; i < 1000; ++i) text += "\xc3\xa9";  // one letter of two bytes
    events.record(faces(), {false, "Long", text});
  }
  const auto requests = listener.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(Json::parse(requests[0].body)["note"].get<std::string>().size(), 999U);
}

TEST(EventRecorder, GivesUpAtTheEndIfTheServerIsDown) {
  Listener listener;
  listener.answer(503);
  Client client(listener, hooks_without_sleep());
  {
    EventRecorder events(client, "me");
    for (int i = 0; i < 100; ++i) events.record(faces(), {false, "R", std::to_string(i)});
  }
  EXPECT_LE(listener.requests().size(), 300U);  // three tries each at most
}

}  // namespace
}  // namespace ganscale::controller
