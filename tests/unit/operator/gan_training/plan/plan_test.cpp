#include "gan_training/plan/plan.h"

#include "support/expect_error.h"

namespace ganscale::controller::gan_training {
namespace {

TrainingSpec with_claim() {
  TrainingSpec spec;
  spec.data = {"faces", "/data", ""};
  return spec;
}

TEST(Plan, FillsInWhatOnlyTheOperatorKnows) {
  const Json config = worker_config(with_claim(), Json::object());
  EXPECT_EQ(config["data"]["path"], "/data");
  EXPECT_EQ(config["telemetry"]["bind_address"], "0.0.0.0");
  EXPECT_EQ(config["telemetry"]["control_port"], 9401);
  EXPECT_EQ(config["telemetry"]["token_file"], "/etc/ganscale/control/token");
  EXPECT_FALSE(worker_config(TrainingSpec{}, Json::object()).contains("data"));
}

TEST(Plan, LeavesTheUsersOwnChoices) {
  TrainingSpec spec = with_claim();
  spec.evaluation = {{"every_kimg", 100}};
  const Json config = worker_config(
      spec,
      Json::parse(
          R"({"data": {"path": "/data/sub"}, "telemetry": {"control_port": 7000, "metrics_port": -1}})"));
  EXPECT_EQ(config["data"]["path"], "/data/sub");
  EXPECT_EQ(control_port(config), 7000);
  EXPECT_EQ(metrics_port(config), 0);
  EXPECT_EQ(config["evaluate"]["every_kimg"], 100);
}

TEST(Plan, OpensThePortsOfAPrintedConfiguration) {
  // The worker's defaults, as `ganscale train --print-config` shows them.
  const Json printed = Json::parse(
      R"({"bind_address": "127.0.0.1", "metrics_port": 0, "control_port": 0, "token_file": "",
          "tls_certificate": "", "tls_key": ""})");
  const Json config = worker_config(TrainingSpec{}, {{"telemetry", printed}});
  EXPECT_EQ(config["telemetry"]["bind_address"], "0.0.0.0");
  EXPECT_EQ(metrics_port(config), 9400);
  EXPECT_EQ(control_port(config), 9401);
}

TEST(Plan, GivesTheWorkerThePathOfItsFeatureNetwork) {
  TrainingSpec spec = with_claim();
  spec.feature_net = {{"features", "/features", ""}, "net.pt"};
  const Json config = worker_config(
      spec, Json::parse(R"({"evaluate": {"metrics": ["fid50k"], "feature_net": "/data/x.pt"}})"));
  EXPECT_EQ(config["evaluate"]["feature_net"], "/features/net.pt");
  EXPECT_EQ(config["evaluate"]["metrics"][0], "fid50k");
  EXPECT_FALSE(worker_config(with_claim(), Json::object()).contains("evaluate"));
}

TEST(Plan, RefusesASectionThatIsNotAMap) {
  TrainingSpec spec = with_claim();
  spec.evaluation = {{"every_kimg", 100}};
  for (const char* section : {"data", "evaluate", "telemetry"}) {
    for (const Json& value : {Json(3), Json("x"), Json(true), Json::array(), Json::array({1})}) {
      expect_error(ExitCode::kConfig, std::string("spec.config.") + section + ": expected a map",
                   [&] { worker_config(spec, {{section, value}}); });
    }
    EXPECT_NO_THROW(worker_config(spec, {{section, nullptr}})) << "as good as an empty one";
  }
}

TEST(Plan, LeavesASectionThatItDoesNotWriteToForTheSchemaToRefuse) {
  EXPECT_EQ(worker_config(TrainingSpec{}, {{"data", 3}})["data"], 3);
}

TEST(Ports, AreClampedToTheirRange) {
  const auto port = [](const Json& value) {
    return control_port({{"telemetry", {{"control_port", value}}}});
  };
  EXPECT_EQ(port(-1), 0);
  EXPECT_EQ(port(9000), 9000);
  EXPECT_EQ(port(std::int64_t{1} << 40), 65535);
  EXPECT_EQ(port("9000"), 9401);
  EXPECT_EQ(control_port({{"telemetry", 3}}), 9401);
  EXPECT_EQ(metrics_port(Json()), 9400);
}

TEST(ConfiguredModel, IsEmptyIfAPresetDecides) {
  const auto model = [](const char* text) {
    return configured_model({{"model", Json::parse(text)}});
  };
  EXPECT_EQ(model(R"({"name": "biggan"})"), "biggan");
  EXPECT_EQ(model(R"({"name": "stylegan2", "preset": "config-f"})"), "stylegan2");
  EXPECT_EQ(model(R"({"preset": "config-f"})"), "");
  EXPECT_EQ(model(R"({"preset": "none"})"), "dcgan");
  EXPECT_EQ(model(R"({"resolution": 64})"), "dcgan");
  EXPECT_EQ(configured_model(Json::object()), "dcgan");
  EXPECT_EQ(configured_model({{"model", 3}}), "dcgan");
}

TEST(Names, OfATrainingsObjectsBeginWithItsOwn) {
  const Key key{"team", "faces"};
  EXPECT_EQ(config_map_name(key), "faces-settings");
  EXPECT_EQ(secret_name(key), "faces-control");
  EXPECT_EQ(attempt_name(key, 12), "faces-r12");
  EXPECT_EQ(purge_job_name(key), "faces-purge");
}

TEST(Metadata, HasLabelsAndTheTrainingAsOwner) {
  Plan plan;
  plan.key = {"team", "faces"};
  plan.uid = "u";
  const Json metadata = metadata_of(plan, "x");
  EXPECT_EQ(metadata["namespace"], "team");
  EXPECT_EQ(metadata["labels"]["ganscale.dev/training"], "faces");
  EXPECT_EQ(metadata["ownerReferences"][0]["kind"], "GanTraining");
  EXPECT_EQ(metadata["ownerReferences"][0]["uid"], "u");
  EXPECT_EQ(metadata["ownerReferences"][0]["controller"], true);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
