#include "gan_training/spec/training_spec.h"

#include "support/expect_error.h"

namespace ganscale::controller::gan_training {
namespace {

Json spec(const std::string& changes = "{}") {
  Json spec = {{"image", "x"}, {"nodeProfile", "cpu"}};
  spec.merge_patch(Json::parse(changes));
  return spec;
}

void refuses(const std::string& changes, const std::string& text) {
  expect_error(ExitCode::kConfig, text, [&] { parse_spec(spec(changes)); });
}

TEST(TrainingSpec, HasDefaults) {
  const TrainingSpec s = parse_spec(spec());
  EXPECT_EQ(s.nodes, 1);
  EXPECT_EQ(s.restart.max_restarts, 20);
  EXPECT_EQ(s.storage.path, "/runs");
  EXPECT_FALSE(s.suspend);
  EXPECT_FALSE(s.preflight);
  EXPECT_FALSE(s.purge);
  EXPECT_FALSE(s.ttl_seconds);
  EXPECT_FALSE(s.scheduling_deadline_seconds);
  EXPECT_FALSE(s.progress_deadline_seconds);
}

TEST(TrainingSpec, IsReadWhole) {
  const TrainingSpec s = parse_spec(
      spec(R"({"nodes": 8, "gpusPerNode": 4, "preflight": false, "imagePullPolicy": "Always",
      "imagePullSecrets": ["registry"], "data": {"claimName": "faces.v2", "subPath": "a/b"},
      "storage": {"claimName": "runs", "path": "/out"}, "suspend": true,
      "restartPolicy": {"maxRestarts": 3, "backoffSeconds": 0, "maxBackoffSeconds": 9, "avoidNodeSeconds": 60},
      "checkpointDeadlineSeconds": 7, "ttlSecondsAfterFinished": 0, "priorityClassName": "urgent", "queueName": "research",
      "schedulerName": "volcano", "schedulingDeadlineSeconds": 60, "progressDeadlineSeconds": 600,
      "topology": {"preferred": "cloud/rack"}, "deletePolicy": "Purge"})"));
  EXPECT_EQ(s.nodes, 8);
  EXPECT_EQ(s.gpus_per_node, 4);
  EXPECT_EQ(s.preflight, false);
  EXPECT_EQ(s.image_pull_secrets, std::vector<std::string>{"registry"});
  EXPECT_EQ(s.data.claim_name, "faces.v2");
  EXPECT_EQ(s.data.path, "/data");
  EXPECT_EQ(s.data.sub_path, "a/b");
  EXPECT_EQ(s.storage.path, "/out");
  EXPECT_TRUE(s.suspend);
  EXPECT_EQ(s.restart.max_restarts, 3);
  EXPECT_EQ(s.restart.backoff_seconds, 0);
  EXPECT_EQ(s.restart.max_backoff_seconds, 9);
  EXPECT_EQ(s.restart.avoid_node_seconds, 60);
  EXPECT_EQ(s.checkpoint_deadline_seconds, 7);
  EXPECT_EQ(s.ttl_seconds, 0);
  EXPECT_EQ(s.queue_name, "research");
  EXPECT_EQ(s.scheduling_deadline_seconds, 60);
  EXPECT_EQ(s.progress_deadline_seconds, 600);
  EXPECT_EQ(s.preferred_topology, "cloud/rack");
  EXPECT_TRUE(s.purge);
}

TEST(TrainingSpec, TakesTheFeatureNetworkOutOfTheEvaluation) {
  const TrainingSpec s = parse_spec(spec(
      R"({"evaluation": {"every_kimg": 5, "featureNet": {"claimName": "features", "subPath": "a"}}})"));
  EXPECT_EQ(s.evaluation, (Json{{"every_kimg", 5}}));
  EXPECT_EQ(s.feature_net.volume.claim_name, "features");
  EXPECT_EQ(s.feature_net.volume.sub_path, "a");
  EXPECT_EQ(s.feature_net.path(), "/features/inception-2015-12-05.pt");
  const TrainingSpec other = parse_spec(spec(
      R"({"evaluation": {"featureNet": {"claimName": "f", "path": "/nets", "file": "digits.pt"}}})"));
  EXPECT_EQ(other.feature_net.path(), "/nets/digits.pt");
  EXPECT_TRUE(parse_spec(spec()).feature_net.volume.claim_name.empty());
}

TEST(TrainingSpec, RefusesAFeatureNetworkWithoutItsOwnPath) {
  refuses(R"({"evaluation": {"featureNet": {}}})",
          "spec.evaluation.featureNet.claimName: names no PersistentVolumeClaim");
  const std::string at_data =
      R"({"evaluation": {"featureNet": {"claimName": "f", "path": "/data"}})";
  refuses(at_data + R"(, "data": {"claimName": "faces"}})",
          "spec.evaluation.featureNet.path: is the mount path of data or storage: /data");
  EXPECT_NO_THROW(parse_spec(spec(at_data + "}"))) << "it has no data";
  refuses(R"({"evaluation": {"featureNet": {"claimName": "f", "path": "/runs/"}}})",
          "spec.evaluation.featureNet.path: is the mount path of data or storage: /runs/");
  refuses(R"({"evaluation": {"featureNet": {"claimName": "f", "path": "nets"}}})",
          "spec.evaluation.featureNet.path: must begin with /: nets");
  refuses(R"({"evaluation": {"featureNet": {"claimName": "f", "name": "x"}}})",
          "spec.evaluation.featureNet.name: must be claimName, path, subPath or file");
}

TEST(TrainingSpec, RefusesVolumesAtOnePath) {
  const std::string both = R"({"data": {"claimName": "faces", "path": "/a"}, "storage": {"path": )";
  refuses(both + R"("/a"}})", "spec.storage.path: is the mount path of data: /a");
  refuses(both + R"("//a/"}})", "spec.storage.path: is the mount path of data: //a/");
  EXPECT_NO_THROW(parse_spec(spec(both + R"("/a/b"}})"))) << "one volume in another";
  EXPECT_NO_THROW(parse_spec(spec(R"({"storage": {"path": "/data"}})"))) << "it has no data";
}

TEST(TrainingSpec, RefusesVolumesWhereThePodsHaveOthers) {
  for (const std::string path :
       {"/", "//", "/.", "/tmp", "/tmp/", "/dev/shm", "/etc/ganscale/run", "/etc/ganscale/x",
        "/etc/mpi", "/root/.ssh", "/home/mpiuser/.ssh"}) {
    const std::string of_claim = R"({"claimName": "a", "path": ")" + path + "\"}";
    const std::string why = "path: is the operator's: choose another: " + path;
    refuses("{\"data\": " + of_claim + "}", "spec.data." + why);
    refuses("{\"storage\": " + of_claim + "}", "spec.storage." + why);
    refuses("{\"evaluation\": {\"featureNet\": " + of_claim + "}}",
            "spec.evaluation.featureNet." + why);
  }
  EXPECT_NO_THROW(parse_spec(spec(R"({"storage": {"path": "/tmp/runs"}})")));
  EXPECT_NO_THROW(parse_spec(spec(R"({"data": {"path": "/tmp"}})"))) << "nothing is mounted there";
}

TEST(TrainingSpec, RefusesPathsThatNoPodMayHave) {
  const auto refuses_volume = [](const std::string& field, const std::string& why) {
    const std::string of_claim = R"({"claimName": "a", )" + field + "}";
    refuses("{\"data\": " + of_claim + "}", "spec.data." + why);
    refuses("{\"storage\": " + of_claim + "}", "spec.storage." + why);
    refuses("{\"evaluation\": {\"featureNet\": " + of_claim + "}}",
            "spec.evaluation.featureNet." + why);
  };
  for (const std::string sub_path : {"..", "../x", "a/..", "a/../b", "/abs"}) {
    refuses_volume(R"("subPath": ")" + sub_path + "\"",
                   R"(subPath: must be a relative path without "..": )" + sub_path);
  }
  for (const std::string sub_path : {"", "a/b/", "..a", "a../..b", "..."}) {
    EXPECT_NO_THROW(parse_spec(spec(R"({"storage": {"subPath": ")" + sub_path + "\"}}")));
  }
  refuses_volume(R"("path": "/runs:x")", "path: must not contain a colon: /runs:x");
}

TEST(TrainingSpec, LetsFieldsOfANewerVersionPass) {
  EXPECT_NO_THROW(parse_spec(spec(R"({"elastic": {"min": 2}})")));
}

TEST(TrainingSpec, NamesThePathOfAWrongField) {
  refuses(R"({"nodes": "many"})", "spec.nodes: expected an integer: \"many\"");
  refuses(R"({"schedulingDeadlineSeconds": 0})", "schedulingDeadlineSeconds: must be 1 to 604800");
  refuses(R"({"topology": {"required": "a/b", "preferred": "a/c"}})",
          "spec.topology: give either required or preferred");
  refuses(R"({"nodes": 0})", "spec.nodes: must be 1 to 4096");
  refuses(R"({"config": []})", "spec.config: expected an object");
  refuses(R"({"restartPolicy": {"maxRestarts": -1}})", "spec.restartPolicy.maxRestarts");
  refuses(R"({"data": {"claimName": 3.5, "path": true}})", "spec.data.path: expected a text: true");
  refuses(R"({"node": {"gpuz": 1}, "nodeProfile": null})", "spec.node.gpuz: unknown field");
  refuses(R"({"node": {}})", "give either nodeProfile or node");
  refuses(R"({"image": null})", "spec.image: names no image");
  refuses(R"({"deletePolicy": "Burn"})", "must be Keep or Purge");
}

TEST(TrainingSpec, RefusesNumbersThatNoMachineCounts) {
  refuses(R"({"nodes": 9223372036854775807})",
          "spec.nodes: must be 1 to 4096: 9223372036854775807");
  refuses(R"({"gpusPerNode": 4294967297})", "spec.gpusPerNode: must be 0 to 64");
  refuses(R"({"restartPolicy": {"maxRestarts": 4294967296}})", "maxRestarts: must be 0 to");
  refuses(R"({"restartPolicy": {"backoffSeconds": 604801}})",
          "backoffSeconds: must be 0 to 604800");
  refuses(R"({"restartPolicy": {"maxBackoffSeconds": -1}})", "maxBackoffSeconds: must be 0 to");
  refuses(R"({"checkpointDeadlineSeconds": 86401})",
          "checkpointDeadlineSeconds: must be 0 to 86400");
  refuses(R"({"ttlSecondsAfterFinished": -1})",
          "ttlSecondsAfterFinished: must be 0 to 31536000: -1");
}

TEST(TrainingSpec, RefusesNamesThatNoObjectCanHave) {
  const std::string rule = "must be an object name";
  refuses(R"({"data": {"claimName": "a\u202eb"}})",
          "spec.data.claimName: " + rule +
              ": a-z, 0-9, '-' and '.', starting and ending with a letter or digit: \"a\\u202eb\"");
  refuses(R"({"storage": {"claimName": "../../secrets/key"}})", "spec.storage.claimName: " + rule);
  refuses(R"({"configFrom": {"name": "a?b"}})", "spec.configFrom.name: " + rule);
  refuses(R"({"imagePullSecrets": ["good", "no good"]})", "spec.imagePullSecrets: " + rule);
  refuses(R"({"priorityClassName": "Urgent"})", "spec.priorityClassName: " + rule);
  refuses(R"({"queueName": "a..b"})", "spec.queueName: " + rule);
  refuses(R"({"schedulerName": "-a"})", "spec.schedulerName: " + rule);
  refuses(R"({"data": {"claimName": ")" + std::string(254, 'a') + "\"}}", rule);
  EXPECT_NO_THROW(parse_spec(spec(R"({"data": {"claimName": ")" + std::string(253, 'a') + "\"}}")));
}

TEST(TrainingSpec, ShowsInvisibleCharactersAsNumbers) {
  refuses(R"({"nodes": "\u202e\u0007"})", "expected an integer: \"\\u202e\\u0007\"");
}

}  // namespace
}  // namespace ganscale::controller::gan_training
