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

TEST(LeaseWatcher, ToleratesAMalformedLease) {
  LeaseWatcher watcher("me");
  EXPECT_EQ(holder_of(Json::object()), "");
  EXPECT_EQ(holder_of({{"spec", {{"holderIdentity", 3}}}}), "");
  Json odd = lease("other", "1");
  odd["spec"]["leaseDurationSeconds"] = "long";
  EXPECT_EQ(watcher.next_move(odd, kStart), LeaseMove::kWait);
  EXPECT_EQ(watcher.next_move(odd, kStart + seconds(16)), LeaseMove::kTake) << "15 s by default";
}

}  // namespace
}  // namespace ganscale::controller
