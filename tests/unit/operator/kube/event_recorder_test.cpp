#include "kube/event_recorder.h"

#include <gtest/gtest.h>

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

Client::Hooks without_sleep() {
  Client::Hooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) {};
  return hooks;
}

TEST(EventRecorder, WritesPendingEventsAndCountsRepeatedOnes) {
  Listener listener;
  Client client(listener, without_sleep());
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

TEST(EventRecorder, CutsALongNoteBetweenTwoLetters) {
  Listener listener;
  Client client(listener, without_sleep());
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
  Client client(listener, without_sleep());
  {
    EventRecorder events(client, "me");
    for (int i = 0; i < 100; ++i) events.record(faces(), {false, "R", std::to_string(i)});
  }
  EXPECT_LE(listener.requests().size(), 300U);  // three tries each at most
}

}  // namespace
}  // namespace ganscale::controller
