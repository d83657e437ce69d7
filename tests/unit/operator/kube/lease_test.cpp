#include "kube/lease.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

using std::chrono::seconds;

Json lease(const std::string& holder, const std::string& version) {
  return {{"metadata", {{"resourceVersion", version}}},
          {"spec",
           {{"holderIdentity", holder},
            {"leaseDurationSeconds", 15},
            {"renewTime", "1999-01-01T00:00:00.000000Z"}}}};
}

const LeaseWatcher::Moment kStart{seconds(1000)};

TEST(LeaseWatcher, TakesALeaseThatHasNotChangedForItsDurationBeforeOurEyes) {
  LeaseWatcher watcher("me");
  // What time the other wrote into it does not count: its clock may be wrong.
  EXPECT_EQ(watcher.next_move(lease("other", "1"), kStart), LeaseMove::kWait);
  EXPECT_EQ(watcher.next_move(lease("other", "1"), kStart + seconds(15)), LeaseMove::kWait);
  EXPECT_EQ(watcher.next_move(lease("other", "2"), kStart + seconds(16)), LeaseMove::kWait);
  EXPECT_EQ(watcher.next_move(lease("other", "2"), kStart + seconds(31)), LeaseMove::kWait);
  EXPECT_EQ(watcher.next_move(lease("other", "2"), kStart + seconds(32)), LeaseMove::kTake);
}

TEST(LeaseWatcher, CreatesRenewsAndTakesAFreeOne) {
  LeaseWatcher watcher("me");
  EXPECT_EQ(watcher.next_move(std::nullopt, kStart), LeaseMove::kCreate);
  EXPECT_EQ(watcher.next_move(lease("me", "1"), kStart), LeaseMove::kRenew);
  EXPECT_EQ(watcher.next_move(lease("", "2"), kStart), LeaseMove::kTake);
}

/// Gives the same Lease to whoever asks.
class OneLease : public Transport {
 public:
  HttpResponse send(const HttpRequest&) override {
    return {.status = 200, .body = lease("thief", "7").dump(), .retry_after = {}};
  }
  HttpResponse stream(const HttpRequest&, const std::function<void(std::string_view)>&) override {
    return {};
  }
  void stop() override {}
  void refresh() override {}
};

TEST(LeaderElector, EndsAtOnceWhenAnotherHoldsTheLease) {
  OneLease transport;
  Client client(transport, {});
  const LeaseTimes times{.duration = std::chrono::hours(2),
                         .deadline = std::chrono::hours(1),
                         .retry = std::chrono::milliseconds(1)};
  LeaderElector elector(client, {"ops", "lease"}, "me", times);
  int looks = 0;
  EXPECT_FALSE(elector.keep_leading([&] { return ++looks > 100; }));
}

TEST(Lease, WritesTimesWithMicroseconds) {
  const auto time =
      std::chrono::system_clock::time_point(std::chrono::microseconds(1750000000000042));
  EXPECT_EQ(format_micro_time(time), "2025-06-15T15:06:40.000042Z");
}

}  // namespace
}  // namespace ganscale::controller
