#include "controller/leader.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/fake_api_server.h"
#include "support/wait_until.h"

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;

const Key kLeaseKey{"ops", "lease"};
const LeaseTimes kFastLease{
    .duration = milliseconds(400), .deadline = milliseconds(200), .retry = milliseconds(5)};

struct Candidate {
  Candidate(FakeApiServer& server, const std::string& identity, LeaseTimes times = kFastLease)
      : transport(server.connect()),
        client(*transport, hooks_without_sleep()),
        elector(client, kLeaseKey, identity, times) {}
  std::unique_ptr<Transport> transport;
  Client client;
  LeaderElector elector;
};

Stopped after_questions(int questions) {
  return [left = std::make_shared<int>(questions)] { return --*left < 0; };
}

std::string holder(const FakeApiServer& server) {
  return holder_of(server.get(resource::kLeases, kLeaseKey));
}

TEST(LeaderElector, TakesALeaseThatNobodyHolds) {
  FakeApiServer server;
  Candidate me(server, "me");
  EXPECT_TRUE(me.elector.wait_to_lead(after_questions(100)));
  EXPECT_EQ(holder(server), "me");
  EXPECT_EQ(server.get(resource::kLeases, kLeaseKey)["spec"]["leaseTransitions"], 0);
}

TEST(LeaderElector, WaitsWhileAnotherHoldsItAndGivesItFreeAtTheEnd) {
  FakeApiServer server;
  Candidate first(server, "first");
  Candidate second(server, "second",
                   {.duration = std::chrono::hours(1),
                    .deadline = std::chrono::hours(1),
                    .retry = milliseconds(1)});
  EXPECT_TRUE(first.elector.wait_to_lead(after_questions(100)));
  EXPECT_FALSE(second.elector.wait_to_lead(after_questions(10)));
  EXPECT_TRUE(first.elector.keep_leading(after_questions(10)));
  EXPECT_EQ(holder(server), "");
  EXPECT_TRUE(second.elector.wait_to_lead(after_questions(100)));
  EXPECT_EQ(holder(server), "second");
  EXPECT_EQ(server.get(resource::kLeases, kLeaseKey)["spec"]["leaseTransitions"], 1);
}

TEST(LeaderElector, TakesALeaseOverThatIsNotRenewed) {
  FakeApiServer server;
  Candidate first(server, "first");
  EXPECT_TRUE(first.elector.wait_to_lead(after_questions(100)));
  server.edit(resource::kLeases, kLeaseKey, {{"spec", {{"leaseDurationSeconds", 0}}}});
  Candidate second(server, "second");
  EXPECT_TRUE(second.elector.wait_to_lead(after_questions(1000)));
  EXPECT_EQ(holder(server), "second");
}

TEST(LeaderElector, EndsAtOnceWhenAnotherHoldsTheLease) {
  FakeApiServer server;
  Candidate me(server, "me",
               {.duration = std::chrono::hours(2),
                .deadline = std::chrono::hours(1),
                .retry = milliseconds(1)});
  EXPECT_TRUE(me.elector.wait_to_lead(after_questions(100)));
  server.edit(resource::kLeases, kLeaseKey, {{"spec", {{"holderIdentity", "thief"}}}});
  EXPECT_FALSE(me.elector.keep_leading(after_questions(100)));
  EXPECT_EQ(holder(server), "thief");
}

TEST(LeaderElector, EndsWhenItCouldNotRenewForTooLong) {
  FakeApiServer server;
  Candidate me(
      server, "me",
      {.duration = milliseconds(100), .deadline = milliseconds(30), .retry = milliseconds(1)});
  EXPECT_TRUE(me.elector.wait_to_lead(after_questions(100)));
  for (int i = 0; i < 10000; ++i) server.fail_next("GET", "/leases/", 500);
  EXPECT_FALSE(me.elector.keep_leading([] { return false; }));
}

TEST(LeaderElector, LeadsUntilTheDeadlineThoughARequestHangs) {
  FakeApiServer server;
  Candidate me(server, "me");
  EXPECT_FALSE(me.elector.leads());
  EXPECT_TRUE(me.elector.wait_to_lead(after_questions(100)));
  EXPECT_TRUE(me.elector.leads());
  server.hang("/leases/");
  std::thread renewal([&] { EXPECT_FALSE(me.elector.keep_leading([] { return false; })); });
  wait_until([&] { return !me.elector.leads(); });
  server.edit(resource::kLeases, kLeaseKey, {{"spec", {{"holderIdentity", "another"}}}});
  server.resume();
  renewal.join();
}

TEST(LeaderElector, DoesNotLeadOnceTheLeaseIsGivenFreeOrAnothers) {
  FakeApiServer server;
  const LeaseTimes long_lease{.duration = std::chrono::hours(2),
                              .deadline = std::chrono::hours(1),
                              .retry = milliseconds(1)};
  Candidate first(server, "first", long_lease);
  EXPECT_TRUE(first.elector.wait_to_lead(after_questions(100)));
  EXPECT_TRUE(first.elector.keep_leading(after_questions(10)));
  EXPECT_FALSE(first.elector.leads());
  Candidate second(server, "second", long_lease);
  EXPECT_TRUE(second.elector.wait_to_lead(after_questions(100)));
  server.edit(resource::kLeases, kLeaseKey, {{"spec", {{"holderIdentity", "thief"}}}});
  EXPECT_FALSE(second.elector.keep_leading(after_questions(100)));
  EXPECT_FALSE(second.elector.leads());
}

TEST(LeaderElector, WaitsIfAnotherCreatesTheLeaseFirst) {
  FakeApiServer server;
  Candidate me(server, "me");
  server.fail_next("POST", "/leases", 409, "AlreadyExists");
  EXPECT_FALSE(me.elector.wait_to_lead(after_questions(1)));
  EXPECT_TRUE(me.elector.wait_to_lead(after_questions(100)));
}

}  // namespace
}  // namespace ganscale::controller
