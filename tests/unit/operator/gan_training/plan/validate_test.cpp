#include "gan_training/plan/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "gan_training/desired/mpi_job.h"
#include "gan_training/spec/built_in.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Checked check(const Json& changes, const ReferencedConfig& referenced = {}) {
  static const NodeProfiles profiles = built_in_node_profiles();
  static const WorkerSchema schema(built_in_worker_schema());
  GanTraining training;
  training.key = {"team", "faces"};
  training.spec = {{"image", "x"}, {"nodeProfile", "cpu"}};
  training.spec.merge_patch(changes);
  return check_training(training, profiles, schema, referenced);
}

TEST(Validate, MakesThePlanOfAValidSpec) {
  const Checked checked = check(
      {{"nodeProfile", "dgx-a100"}, {"nodes", 2}, {"config", {{"training", {{"batch", 64}}}}}});
  EXPECT_EQ(checked.problem, "");
  EXPECT_EQ(checked.plan.ranks(), 16);
  EXPECT_EQ(checked.plan.gpus(), 16);
  EXPECT_EQ(checked.plan.config["training"]["batch"], 64);
}

TEST(Validate, NamesAnUnknownProfileAndTheKnownOnes) {
  const Checked checked = check({{"nodeProfile", "dgx-z9"}});
  EXPECT_EQ(checked.reason, "UnknownProfile");
  EXPECT_EQ(checked.problem,
            "spec.nodeProfile: unknown: dgx-z9 (known: cpu, dgx-a100, dgx-h100, generic-gpu, "
            "puhti-v100, summit-v100)");
  EXPECT_FALSE(checked.has_pods);
}

TEST(Validate, GivesANodeFewerGpus) {
  const Checked checked = check({{"nodeProfile", "dgx-a100"}, {"gpusPerNode", 4}});
  EXPECT_EQ(checked.plan.gpus(), 4);
  EXPECT_THAT(checked.plan.profile.mpirun, testing::Contains("ppr:4:node"));
}

TEST(Validate, RefusesMoreGpusThanTheNodeHas) {
  const auto problem = [](const Json& node, int gpus) {
    Json spec = node;
    spec["gpusPerNode"] = gpus;
    return check(spec).problem;
  };
  EXPECT_EQ(problem({{"nodeProfile", "dgx-a100"}}, 8), "");
  EXPECT_EQ(problem({{"nodeProfile", "dgx-a100"}}, 16),
            "spec.gpusPerNode: exceeds the GPUs of a node: 16 of 8");
  EXPECT_EQ(problem({{"nodeProfile", "cpu"}}, 2),
            "spec.gpusPerNode: exceeds the GPUs of a node: 2 of 0");
  const Json own = {{"nodeProfile", nullptr}, {"node", {{"gpus", 16}}}};
  EXPECT_EQ(problem(own, 16), "");
  EXPECT_EQ(problem(own, 17), "spec.gpusPerNode: exceeds the GPUs of a node: 17 of 16");
}

TEST(Validate, ScalesTheFloorWithTheGpusAndNeedsNoFabricOnOneNode) {
  const auto profile_with = [](const Json& changes) {
    Json spec = {{"nodeProfile", "dgx-a100"}, {"nodes", 2}};
    spec.merge_patch(changes);
    return check(spec).plan.profile;
  };
  EXPECT_TRUE(profile_with(Json::object()).preflight);
  EXPECT_EQ(profile_with(Json::object()).floor_gigabytes_per_second, 100);
  EXPECT_EQ(profile_with({{"gpusPerNode", 4}}).floor_gigabytes_per_second, 50);
  EXPECT_FALSE(profile_with({{"nodes", 1}}).preflight);
  EXPECT_FALSE(profile_with({{"preflight", false}}).preflight);
  EXPECT_TRUE(profile_with({{"nodeProfile", "cpu"}, {"preflight", true}}).preflight);
  EXPECT_FALSE(profile_with({{"nodeProfile", "cpu"}}).preflight);
}

TEST(Validate, TakesOnlyTheShareOfItsGpusOfANode) {
  const auto profile_with = [](int gpus) {
    return check({{"nodeProfile", "dgx-a100"}, {"gpusPerNode", gpus}}).plan.profile;
  };
  EXPECT_EQ(profile_with(4).cpu, "112");
  EXPECT_EQ(profile_with(4).memory, "450Gi");
  EXPECT_EQ(profile_with(1).memory, "115200Mi");  // 112.5 Gi
  EXPECT_EQ(profile_with(1).shm, "32Gi");
  EXPECT_FALSE(profile_with(4).exclusive);
  EXPECT_EQ(profile_with(8).memory, "900Gi");
  EXPECT_TRUE(profile_with(8).exclusive);
  const Json node = {{"gpus", 3}, {"cpu", "16"}, {"memory", "1.5Ti"}};
  const Checked odd = check({{"nodeProfile", nullptr}, {"node", node}, {"gpusPerNode", 1}});
  EXPECT_EQ(odd.plan.profile.cpu, "5333m");
  EXPECT_EQ(odd.plan.profile.memory, "1.5Ti") << "rather too much than too little";
}

TEST(Validate, TakesAllOfAQuantityThatNoNodeHas) {
  for (const char* memory : {"9223372036854775807", "99999999999999999999", "999999999999999Pi"}) {
    const Json node = {{"gpus", 4}, {"memory", memory}};
    const Checked checked = check({{"nodeProfile", nullptr}, {"node", node}, {"gpusPerNode", 3}});
    EXPECT_EQ(checked.plan.profile.memory, memory);
  }
}

TEST(Validate, NamesTheKeyThatTheWorkerWouldRefuse) {
  const Checked checked = check({{"config", {{"training", {{"batch", "soon"}}}}}});
  EXPECT_EQ(checked.reason, "BadConfig");
  EXPECT_THAT(checked.problem, StartsWith("spec.config.training.batch: "));
  EXPECT_TRUE(checked.has_pods) << "the folder can be deleted all the same";
}

TEST(Validate, RequiresABatchForEachRank) {
  const Checked checked = check({{"nodes", 3}, {"config", {{"training", {{"batch", 64}}}}}});
  EXPECT_EQ(checked.problem,
            "spec.config.training.batch: must be divisible by the number of ranks: 64 on 3");
}

std::string problem_of_passes(int nodes, const Json& training, const std::string& scheme) {
  return check({{"nodes", nodes},
                {"config", {{"scheme", {{"name", scheme}}}, {"training", training}}}})
      .problem;
}

// The worker takes the part of a rank in as many passes of the same size.
TEST(Validate, RequiresABatchForEachPassOfEachRank) {
  EXPECT_EQ(problem_of_passes(4, {{"batch", 64}, {"accumulate", 16}}, "synchronous"), "");
  EXPECT_EQ(problem_of_passes(4, {{"batch", 64}, {"accumulate", 32}}, "synchronous"),
            "spec.config.training.batch: must be divisible by the number of ranks times "
            "training.accumulate, 32: 64 on 4");
  EXPECT_EQ(problem_of_passes(6, {{"batch", 12}, {"accumulate", 4}}, "asynchronous"), "");
  EXPECT_EQ(problem_of_passes(6, {{"batch", 12}, {"accumulate", 6}}, "asynchronous"),
            "spec.config.training.batch: must be divisible by the ranks of the generator times "
            "training.accumulate, 6: 12 on 3");
}

TEST(Validate, RequiresPassesThatDivideTheBatchInEveryScheme) {
  for (const char* scheme : {"synchronous", "asynchronous", "per_label"}) {
    EXPECT_EQ(problem_of_passes(2, {{"batch", 60}, {"accumulate", 8}}, scheme),
              "spec.config.training.accumulate: must divide the batch, 60: 8");
    EXPECT_EQ(problem_of_passes(2, {{"batch", 60}, {"accumulate", 0}}, scheme),
              "spec.config.training.accumulate: must divide the batch, 60: 0");
  }
  EXPECT_EQ(problem_of_passes(1, {{"batch", 32}, {"accumulate", 4}}, "per_label"), "");
}

Checked check_roles(const std::string& ratio, int nodes, int batch) {
  return check({{"nodes", nodes},
                {"config",
                 {{"scheme", {{"name", "asynchronous"}, {"ratio", ratio}}},
                  {"training", {{"batch", batch}}}}}});
}

// Eight ranks: two of the generator, six of the discriminator.
TEST(Validate, RequiresABatchForTheRanksOfEachRole) {
  EXPECT_EQ(check_roles("1:3", 8, 12).problem, "");
  EXPECT_EQ(check_roles("1:3", 8, 16).problem,
            "spec.config.training.batch: must be divisible by the ranks of the discriminator: 16 "
            "on 6");
  EXPECT_EQ(check_roles("1:3", 6, 12).problem,
            "spec.config.scheme.ratio: its sum must divide the number of ranks (two for one "
            "process): 1:3 on 6");
  EXPECT_EQ(check_roles("1:1", 1, 12).problem, "");
  EXPECT_EQ(check_roles("1:2", 1, 12).problem,
            "spec.config.scheme.ratio: its sum must divide the number of ranks (two for one "
            "process): 1:2 on 2");
  EXPECT_EQ(check_roles("1:0", 2, 12).problem,
            "spec.config.scheme.ratio: expected two positive numbers in quotes, such as \"1:3\": "
            "\"1:0\"");
}

TEST(Validate, NamesTheKeyOfARatioThatIsANumber) {
  const Json config = {{"scheme", {{"name", "asynchronous"}, {"ratio", 63}}}};  // YAML 1.1's 1:3
  EXPECT_EQ(check({{"nodes", 2}, {"config", config}}).problem,
            "spec.config.scheme.ratio: expected two positive numbers in quotes, such as \"1:3\": "
            "63");
}

TEST(Validate, TakesAnyBatchIfEachLabelHasItsOwnNetworks) {
  const Json config = {{"scheme", {{"name", "per_label"}}}, {"training", {{"batch", 32}}}};
  const Json storage = {{"claimName", "runs"}};
  EXPECT_EQ(check({{"nodes", 10}, {"config", config}, {"storage", storage}}).problem, "");
}

TEST(Validate, RequiresTheControlPortForADeadlineOfProgress) {
  const Json silent = {{"telemetry", {{"control_port", -1}}}};
  EXPECT_EQ(check({{"progressDeadlineSeconds", 600}}).problem, "");
  EXPECT_THAT(check({{"progressDeadlineSeconds", 600}, {"config", silent}}).problem,
              StartsWith("spec.progressDeadlineSeconds: needs spec.config.telemetry.control_port"));
  const Json labels = {{"scheme", {{"name", "per_label"}}}};
  EXPECT_EQ(check({{"config", labels}}).problem, "");
  EXPECT_THAT(check({{"progressDeadlineSeconds", 600}, {"config", labels}}).problem,
              StartsWith("spec.progressDeadlineSeconds: with scheme per_label, rank 0 reports"));
}

TEST(Validate, RefusesAControlPortThatIsTheMetricsPort) {
  const auto problem_of = [](const Json& telemetry) {
    return check({{"config", {{"telemetry", telemetry}}}}).problem;
  };
  EXPECT_EQ(problem_of({{"control_port", 9400}}),
            "spec.config.telemetry: control_port and metrics_port (9400 unless given) are the "
            "same: 9400");
  EXPECT_EQ(problem_of({{"control_port", 9400}, {"metrics_port", 9402}}), "");
  EXPECT_EQ(problem_of({{"control_port", -1}, {"metrics_port", -1}}), "");
}

TEST(Validate, RefusesThePortOfSshd) {
  for (const char* key : {"control_port", "metrics_port"}) {
    const Checked checked = check({{"config", {{"telemetry", {{key, 2222}}}}}});
    EXPECT_EQ(checked.reason, "BadConfig");
    EXPECT_EQ(checked.problem, std::string("spec.config.telemetry.") + key +
                                   ": is the port of sshd: choose another: 2222");
  }
}

TEST(Validate, RefusesResourcesThatNoNodeHas) {
  const auto problem_of = [](const Json& node) {
    return check({{"nodeProfile", nullptr}, {"node", node}}).problem;
  };
  EXPECT_EQ(problem_of({{"memory", "64ki"}}),
            "spec.node.memory: must be a quantity of at least 0, such as 8, 500m or 64Gi: "
            "\"64ki\"");
  EXPECT_THAT(problem_of({{"resources", {{"rdma/hca", "one"}}}}),
              StartsWith("spec.node.resources.rdma/hca: must be a quantity"));
  EXPECT_THAT(problem_of({{"gpus", 1}, {"gpuResource", ""}}),
              StartsWith("spec.node.gpuResource: must be at most 63 letters"));
  EXPECT_THAT(problem_of({{"nodeSelector", {{"a b", "c"}}}}),
              StartsWith("spec.node.nodeSelector: must be at most 63 letters"));
  EXPECT_EQ(check({{"storage", {{"claimName", "runs"}, {"path", "/"}}}}).problem,
            "spec.storage.path: is the operator's: choose another: /");
}

TEST(Validate, ReadsTheProgressOfAWorkerThatWouldListenOnLoopback) {
  const Json config = {{"telemetry", {{"bind_address", "127.0.0.1"}, {"control_port", 9500}}}};
  const Checked checked = check({{"progressDeadlineSeconds", 600}, {"config", config}});
  EXPECT_EQ(checked.problem, "");
  EXPECT_EQ(checked.plan.config["telemetry"]["bind_address"], "0.0.0.0");
  EXPECT_EQ(checked.plan.config["telemetry"]["control_port"], 9500);
}

TEST(Validate, RefusesAControlPortThatSpeaksHttps) {
  const Json config = {{"telemetry", {{"tls_certificate", "/tls/tls.crt"}, {"tls_key", "/k"}}}};
  EXPECT_THAT(check({{"config", config}}).problem,
              StartsWith("spec.config.telemetry.tls_certificate: the operator reads"));
}

TEST(Validate, RequiresStorageForLabelsOnSeveralNodes) {
  const Json config = {{"scheme", {{"name", "per_label"}}}, {"training", {{"batch", 32}}}};
  EXPECT_EQ(check({{"nodes", 1}, {"config", config}}).problem, "");
  const Checked checked = check({{"nodes", 2}, {"config", config}});
  EXPECT_EQ(checked.reason, "MissingStorage");
  EXPECT_THAT(checked.problem, StartsWith("spec.storage: scheme per_label needs it"));
}

TEST(Validate, HalvesTheProcessesOfANodeThatHaveTwoGpusEach) {
  const Json config = {{"training", {{"batch", 12}, {"devices_per_process", 2}}}};
  const auto on = [&](const Json& node) {
    Json changes = node;
    changes["nodes"] = 2;
    changes["config"] = config;
    return check(changes);
  };
  const Checked checked = on({{"nodeProfile", "summit-v100"}});
  EXPECT_EQ(checked.problem, "");
  EXPECT_EQ(checked.plan.ranks(), 6);
  EXPECT_EQ(checked.plan.gpus(), 12);
  EXPECT_THAT(checked.plan.profile.mpirun, testing::Contains("ppr:3:node"));
  const Json counted = {{"gpus", 4}, {"ranks", 2}};
  EXPECT_EQ(on({{"nodeProfile", nullptr}, {"node", counted}}).plan.ranks(), 4) << "as it says";
  EXPECT_EQ(on({{"nodeProfile", "cpu"}}).problem,
            "spec.config.training.devices_per_process: 2 GPUs per process do not fit a "
            "node with 0");
  EXPECT_EQ(on({{"nodeProfile", "dgx-a100"}, {"gpusPerNode", 3}}).reason, "BadConfig");
}

TEST(Validate, RefusesMoreRanksThanGpus) {
  const auto check_node = [](int gpus, int ranks) {
    return check({{"nodeProfile", nullptr}, {"node", {{"gpus", gpus}, {"ranks", ranks}}}});
  };
  EXPECT_EQ(check_node(4, 4).problem, "");
  EXPECT_EQ(check_node(0, 8).problem, "") << "on the CPU";
  const Checked checked = check_node(4, 8);
  EXPECT_EQ(checked.reason, "BadSpec");
  EXPECT_EQ(checked.problem,
            "spec.node.ranks: exceeds the GPUs of a node, of which each rank needs one: 8 of 4");
}

TEST(Validate, NamesAProfileWithMoreRanksThanGpus) {
  NodeProfile shared;
  shared.gpus = 1;
  shared.ranks = 2;
  const NodeProfiles profiles{{"shared", shared}};
  const WorkerSchema schema(built_in_worker_schema());
  GanTraining training;
  training.spec = {{"image", "x"}, {"nodeProfile", "shared"}};
  EXPECT_EQ(check_training(training, profiles, schema, {}).problem,
            "spec.nodeProfile: ranks of shared: exceeds the GPUs of a node, of which each rank "
            "needs one: 2 of 1");
}

TEST(Validate, RefusesTheDeviceGpuOnNodesWithoutGpus) {
  const auto problem = [](Json changes) {
    changes["config"] = {{"training", {{"device", "gpu"}}}};
    return check(changes).problem;
  };
  EXPECT_EQ(problem({{"nodeProfile", "generic-gpu"}}), "");
  EXPECT_EQ(problem({{"nodeProfile", "cpu"}}),
            "spec.config.training.device: gpu, but the node profile has no GPUs: use auto or cpu, "
            "or a profile with GPUs");
  const Json claim = {{"name", "gpu"}, {"resourceClaimTemplateName", "gpu"}};
  const Json pods = {{"worker", {{"spec", {{"resourceClaims", Json::array({claim})}}}}}};
  EXPECT_EQ(problem({{"podTemplate", pods}}), "") << "a GPU by another way";
  const Json slices = {{"resources", {{"nvidia.com/mig-1g.10gb", "1"}}}};
  EXPECT_EQ(problem({{"nodeProfile", nullptr}, {"node", slices}}), "");
}

TEST(Validate, GivesARankWithoutAGpuItsShareOfTheCpus) {
  const auto threads = [](const Json& changes) {
    const Checked checked = check(changes);
    EXPECT_EQ(checked.problem, "");
    return checked.plan.config.value(Json::json_pointer("/training/threads"), Json());
  };
  EXPECT_EQ(threads(Json::object()), 2);
  EXPECT_EQ(threads({{"nodes", 2}}), 2);
  EXPECT_EQ(threads({{"config", {{"training", {{"threads", 1}}}}}}), 1);
  EXPECT_EQ(threads({{"config", {{"scheme", {{"name", "asynchronous"}}}}}}), 1)
      << "a rank for each role";
  const auto node = [](const Json& resources) {
    return Json({{"nodeProfile", nullptr}, {"node", resources}});
  };
  EXPECT_EQ(threads(node({{"cpu", "500m"}})), 1);
  EXPECT_EQ(threads(node({{"cpu", "7.5"}, {"ranks", 2}})), 3);
  EXPECT_EQ(threads(node({{"ranks", 2}})), Json()) << "the worker chooses";
  EXPECT_EQ(threads({{"nodeProfile", "generic-gpu"}}), Json());
}

TEST(Validate, ReadsWhatConfigFromRefersTo) {
  const Json from = {{"configFrom", {{"name", "theirs"}}}};
  EXPECT_EQ(check(from, {.text = "training: {batch: 16}"}).plan.config["training"]["batch"], 16);
  const Checked spelled = check(from, {.text = "data: {mirror: yes}"});
  EXPECT_EQ(spelled.problem, "");
  EXPECT_EQ(spelled.plan.config["data"]["mirror"], true) << "as the worker reads it";
  EXPECT_EQ(check(from, {.text = "evaluate: {covariance: n}"}).problem, "");
  EXPECT_EQ(check(from, {.problem = "there is none"}).reason, "MissingConfigMap");
  EXPECT_EQ(check(from, {.problem = "there is none"}).problem, "there is none");
  EXPECT_THAT(check(from, {.text = "- a list"}).problem, HasSubstr("expected one YAML map"));
  EXPECT_THAT(check(from, {.text = "a: 1\n---\nb: 2"}).problem, HasSubstr("expected one YAML map"));
  EXPECT_THAT(check(from, {.text = "a: ["}).problem, HasSubstr("configFrom.config.yaml:1"));
}

/// A map in a map in a map ...
Json nested(int levels) {
  Json value = 1;
  for (int i = 0; i < levels; ++i) value = Json{{"a", std::move(value)}};
  return value;
}

TEST(Validate, RefusesValuesNestedTooDeep) {
  for (const char* field : {"config", "podTemplate"}) {
    const Checked checked = check({{field, nested(1000)}});
    EXPECT_EQ(checked.reason, "BadConfig");
    EXPECT_THAT(checked.problem, StartsWith(std::string("spec.") + field + ": nested too deep"));
  }
}

TEST(Validate, NamesWhatAPodTemplateCannotSet) {
  const Json own = {{"name", "worker"}, {"image", "theirs"}};
  const Checked checked =
      check({{"podTemplate", {{"worker", {{"spec", {{"containers", Json::array({own})}}}}}}}});
  EXPECT_EQ(checked.reason, "BadSpec");
  EXPECT_THAT(
      checked.problem,
      StartsWith("spec.podTemplate.worker.spec.containers[\"worker\"].image: can't be set"));
}

constexpr std::array kFields{"nodes",
                             "nodeProfile",
                             "node",
                             "gpusPerNode",
                             "image",
                             "imagePullPolicy",
                             "imagePullSecrets",
                             "podTemplate",
                             "config",
                             "configFrom",
                             "evaluation",
                             "data",
                             "storage",
                             "suspend",
                             "restartPolicy",
                             "checkpointDeadlineSeconds",
                             "schedulingDeadlineSeconds",
                             "progressDeadlineSeconds",
                             "topology",
                             "ttlSecondsAfterFinished",
                             "priorityClassName",
                             "queueName",
                             "schedulerName",
                             "deletePolicy"};

TEST(Validate, HasAMessageForAnyValue) {
  const std::vector<Json> odd{nullptr,
                              true,
                              -1,
                              1e300,
                              std::int64_t{1} << 62,
                              "",
                              "a\u202eb",
                              std::string(10000, 'x'),
                              Json::array(),
                              Json::array({nullptr}),
                              Json::object(),
                              {{"name", 3}}};
  for (const char* field : kFields) {
    for (const Json& value : odd) {
      Checked checked;
      EXPECT_NO_THROW(checked = check({{field, value}})) << field << value;
      EXPECT_EQ(checked.reason.empty(), checked.problem.empty()) << field << value;
      EXPECT_LT(checked.problem.size(), 11000U) << field;
    }
  }
  for (const char* place :
       {"", "/metadata", "/metadata/labels", "/metadata/annotations", "/spec", "/spec/volumes",
        "/spec/tolerations", "/spec/nodeSelector", "/spec/hostNetwork", "/spec/containers",
        "/spec/containers/0/env", "/spec/containers/0/env/0/valueFrom",
        "/spec/containers/0/resources", "/spec/containers/0/resources/limits"}) {
    for (const Json& value : odd) {
      Json pods = Json::parse(
          R"({"worker": {"spec": {"containers": [{"name": "worker", "env": [{"name": "A"}]}]}}})");
      pods[Json::json_pointer(std::string("/worker") + place)] = value;
      Checked checked;
      EXPECT_NO_THROW(checked = check({{"podTemplate", pods}})) << place << value;
      EXPECT_EQ(checked.reason.empty(), checked.problem.empty()) << place << value;
      if (checked.problem.empty()) {
        EXPECT_NO_THROW(mpi_job(checked.plan, {1, 0})) << place << value;
      }
    }
  }
}

}  // namespace
}  // namespace ganscale::controller::gan_training
