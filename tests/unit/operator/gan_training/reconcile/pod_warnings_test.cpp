#include "gan_training/reconcile/pod_warnings.h"

#include <gtest/gtest.h>

#include "support/fake_api_server.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;

const Time kNow{seconds(1750000000)};

class PodWarningsTest : public testing::Test {
 protected:
  void warn(const std::string& about, const std::string& note,
            const std::string& type = "Warning") {
    const char* kind = about.ends_with("-launcher") ? "Job" : "MPIJob";
    server_.put(resource::kEvents,
                {{"metadata", {{"name", about + "." + note}, {"namespace", "team"}}},
                 {"type", type},
                 {"regarding", {{"kind", kind}, {"name", about}}},
                 {"note", note}});
  }
  std::vector<std::string> notes(const std::string& job, Time now) {
    std::vector<std::string> notes;
    for (const Json& warning : warnings_.about({"team", job}, now, client_)) {
      notes.push_back(warning["note"]);
    }
    return notes;
  }
  std::size_t lists() const { return server_.count("GET", "/events?"); }

  FakeApiServer server_;
  std::unique_ptr<Transport> transport_ = server_.connect();
  Client client_{*transport_, hooks_without_sleep()};
  PodWarnings warnings_;
};

using Notes = std::vector<std::string>;

TEST_F(PodWarningsTest, AreOfAnMpiJobAndItsLauncher) {
  warn("faces-r1", "worker");
  warn("faces-r1-launcher", "launcher");
  warn("faces-r1", "created", "Normal");
  warn("faces-r2", "another attempt");
  EXPECT_EQ(notes("faces-r1", kNow), Notes({"worker", "launcher"}));
  EXPECT_EQ(notes("digits-r1", kNow), Notes());
}

TEST_F(PodWarningsTest, AreListedOnceInTenSecondsForAllTrainings) {
  notes("faces-r1", kNow);
  EXPECT_EQ(lists(), 2U);
  warn("digits-r1", "quota");
  EXPECT_EQ(notes("digits-r1", kNow + seconds(9)), Notes());
  EXPECT_EQ(lists(), 2U);
  EXPECT_EQ(notes("digits-r1", kNow + seconds(10)), Notes({"quota"}));
  EXPECT_EQ(lists(), 4U);
  notes("digits-r1", kNow);
  EXPECT_EQ(lists(), 6U) << "the clock was set back";
}

TEST_F(PodWarningsTest, AreNoneWithoutPermission) {
  warn("faces-r1", "quota");
  server_.fail_next("GET", "/events?", 403, "Forbidden");
  EXPECT_EQ(notes("faces-r1", kNow), Notes());
}

TEST_F(PodWarningsTest, AreThePreviousOnesAfterAFailure) {
  warn("faces-r1", "quota");
  const Notes before = notes("faces-r1", kNow);
  server_.fail_next("GET", "/events?", 400, "BadRequest");
  EXPECT_THROW(notes("faces-r1", kNow + seconds(10)), ApiError);
  EXPECT_EQ(notes("faces-r1", kNow + seconds(11)), before);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
