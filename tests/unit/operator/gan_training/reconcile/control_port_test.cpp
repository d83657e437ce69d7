#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/loopback_server.h"
#include "support/wait_until.h"
#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using std::chrono::seconds;

TEST(ControlPort, LeavesAnAttemptWithoutAControlPortThoughARefusedEditAsksForItsProgress) {
  World world;
  world.run({{"config", {{"telemetry", {{"control_port", -1}}}}}});
  world.server.edit(kTrainings, kFaces, {{"spec", {{"progressDeadlineSeconds", 600}}}});
  world.settle();
  EXPECT_EQ(world.condition("Validated")["reason"], "BadConfig");
  world.now += seconds(600);
  world.settle();
  EXPECT_EQ(world.status()["phase"], "Running");
  EXPECT_FALSE(world.status().contains("failures"));
}

/// A training whose rank 0 answers that it has seen 64 images, at a control port of its own.
struct Answering : World {
  Answering() : World(/*probe_threads=*/1) {}
  void run_until_it_answers(const Json& changes) {
    run(changes);
    wait_until([this] { return probe.latest(kFaces, 1).has_value(); });
  }
  bool is_asked_to_stop() const {
    return std::ranges::any_of(worker.requests(), [](const std::string& request) {
      return request.find(R"({"command":"stop"})") != std::string::npos;
    });
  }

  LoopbackServer worker{[](const std::string&, const LoopbackServer::Write& write) {
    const std::string body = R"({"state":"running","images_seen":64})";
    write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: "
        "close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }};
};

Json control_port_of(int port) { return {{"config", {{"telemetry", {{"control_port", port}}}}}}; }

TEST(ControlPort, AsksARunningAttemptForItsProgressThoughARefusedEditSwitchesThePortOff) {
  Answering world;
  Json changes = control_port_of(world.worker.port());
  changes["progressDeadlineSeconds"] = 600;
  world.run_until_it_answers(changes);
  world.server.edit(kTrainings, kFaces, {{"spec", control_port_of(-1)}});
  world.settle();
  EXPECT_EQ(world.condition("Validated")["reason"], "BadConfig");
  ASSERT_TRUE(world.probe.latest(kFaces, 1));
  EXPECT_EQ(world.status()["progress"]["images"], 64);
}

TEST(ControlPort, AsksAnAttemptToStopAtItsPortThoughTheConfigMapThatNamedItIsGone) {
  Answering world;
  const std::string config =
      "training: {batch: 8}\ntelemetry: {control_port: " + std::to_string(world.worker.port()) +
      "}\n";
  world.server.put(resource::kConfigMaps,
                   {{"metadata", {{"name", "theirs"}, {"namespace", "team"}}},
                    {"data", {{"config.yaml", config}}}});
  world.run_until_it_answers({{"config", nullptr}, {"configFrom", {{"name", "theirs"}}}});
  world.server.remove(resource::kConfigMaps, {"team", "theirs"});
  world.settle();
  EXPECT_EQ(world.condition("Validated")["reason"], "MissingConfigMap");
  world.server.edit(kTrainings, kFaces, {{"spec", {{"suspend", true}}}});
  world.settle();
  wait_until([&] { return world.is_asked_to_stop(); });
}

TEST(ControlPort, AsksAnAttemptToStopAtItsPortThoughTheSpecNamesAnother) {
  Answering world;
  world.run_until_it_answers(control_port_of(world.worker.port()));
  world.server.edit(kTrainings, kFaces, {{"spec", control_port_of(-1)}});
  world.settle();
  EXPECT_EQ(world.status()["ending"]["reason"], "ConfigChange");
  wait_until([&] { return world.is_asked_to_stop(); });
}

}  // namespace
}  // namespace ganscale::controller::gan_training
