#include "gan_training/desired/pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "object/lookup.h"
#include "unit/operator/gan_training/desired/make_plan.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

Json spec_of(const Plan& plan, Role role) { return pod_template(plan, role, {3, 2})["spec"]; }

TEST(Pod, IsLabeledWithTrainingAttemptAndRole) {
  const Json labels = pod_template(make_plan(), Role::kWorker, {3, 0})["metadata"]["labels"];
  EXPECT_EQ(labels[kTrainingLabel], "faces");
  EXPECT_EQ(labels[kAttemptLabel], "3");
  EXPECT_EQ(labels[kRoleLabel], "worker");
}

TEST(Pod, OfALauncherNeedsNoGpuAndNoVolume) {
  const Json spec = spec_of(make_plan(), Role::kLauncher);
  EXPECT_EQ(spec["containers"][0]["resources"]["limits"], Json({{"cpu", "4"}, {"memory", "4Gi"}}));
  for (const Json& volume : spec["volumes"]) EXPECT_FALSE(volume.contains("persistentVolumeClaim"));
  EXPECT_FALSE(spec.contains("affinity"));
}

TEST(Pod, OfALauncherKeepsOffNodesWithGpus) {
  Plan plan = make_plan();
  const Json gpu = {{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
  const Json team = {{"key", "team"}, {"operator", "Equal"}, {"value", "vision"}};
  plan.profile.tolerations = Json::array({gpu, team});
  EXPECT_EQ(spec_of(plan, Role::kWorker)["tolerations"], Json::array({gpu, team}));
  EXPECT_EQ(spec_of(plan, Role::kLauncher)["tolerations"], Json::array({team}));
}

Json variables_of(const Plan& plan, const Try& which) {
  Json variables = Json::object();
  const Json pod = pod_template(plan, Role::kLauncher, which);
  for (const Json& variable : pod["spec"]["containers"][0]["env"]) {
    variables[variable["name"].get<std::string>()] = variable["value"];
  }
  return variables;
}

TEST(Pod, HasThePreflightOfTheProfile) {
  Plan plan = make_plan();
  EXPECT_FALSE(variables_of(plan, {}).contains("GANSCALE_PREFLIGHT"));
  plan.profile.preflight = true;
  plan.profile.floor_gigabytes_per_second = 12.5;
  plan.profile.hcas = 8;
  const Json variables = variables_of(plan, {});
  EXPECT_EQ(variables["GANSCALE_PREFLIGHT"], "require");
  EXPECT_EQ(variables["GANSCALE_PREFLIGHT_FLOOR"], "12.5");
  EXPECT_EQ(variables["GANSCALE_PREFLIGHT_HCAS"], "8");
  EXPECT_EQ(variables_of(plan, {.accepts_fabric = true})["GANSCALE_PREFLIGHT"], "warn");
  const Json arguments = spec_of(plan, Role::kLauncher)["containers"][0]["args"];
  EXPECT_EQ(std::ranges::count(arguments, Json("GANSCALE_PREFLIGHT")), 1) << "for all ranks";
}

TEST(Pod, HasTheVariablesOfTheWorkersListAndNoOtherOfOurs) {
  Plan plan = make_plan();
  plan.profile.preflight = true;
  const Json variables = variables_of(plan, {});
  std::vector<std::string> ours;
  for (const auto& variable : variables.items()) {
    if (variable.key().starts_with("GANSCALE_")) ours.push_back(variable.key());
  }
  EXPECT_THAT(ours, testing::UnorderedElementsAreArray(wire::environment::kAll));
}

TEST(Pod, OfAWorkerGetsWhatTheProfileGives) {
  Plan plan = make_plan();
  plan.profile.cpu = "8";
  plan.profile.memory = "64Gi";
  plan.profile.shm = "16Gi";
  plan.profile.resources["rdma/shared"] = "1";
  plan.profile.node_selector["gpu"] = "a100";
  plan.profile.exclusive = true;
  plan.profile.topology_key = "zone";
  const Json spec = spec_of(plan, Role::kWorker);
  EXPECT_EQ(
      spec["containers"][0]["resources"]["limits"],
      Json({{"cpu", "8"}, {"memory", "64Gi"}, {"nvidia.com/gpu", "8"}, {"rdma/shared", "1"}}));
  EXPECT_EQ(spec["nodeSelector"]["gpu"], "a100");
  const Json near = spec["affinity"]["podAffinity"]
                        ["preferredDuringSchedulingIgnoredDuringExecution"][0]["podAffinityTerm"];
  EXPECT_EQ(near["topologyKey"], "zone") << "packed, not spread";
  EXPECT_EQ(near["labelSelector"]["matchLabels"][kTrainingLabel], "faces");
  EXPECT_TRUE(spec["affinity"].contains("podAntiAffinity"));
  EXPECT_NE(spec["volumes"].dump().find(R"({"medium":"Memory","sizeLimit":"16Gi"})"),
            std::string::npos);
}

TEST(Pod, OfAWorkerNamesTheTopologyForItsQueue) {
  Plan plan = make_plan();
  plan.spec.required_topology = "cloud/rack";
  const Json metadata = pod_template(plan, Role::kWorker, {1, 0})["metadata"];
  EXPECT_EQ(metadata["annotations"]["kueue.x-k8s.io/podset-required-topology"], "cloud/rack");
  EXPECT_FALSE(pod_template(plan, Role::kLauncher, {1, 0})["metadata"].contains("annotations"));
}

TEST(Pod, MountsPartsOfVolumes) {
  Plan plan = make_plan();
  plan.spec.data.sub_path = "faces/v2";
  plan.spec.storage.sub_path = "team";
  const Json mounts = spec_of(plan, Role::kWorker)["containers"][0]["volumeMounts"];
  std::map<std::string, std::string> parts;
  for (const Json& mount : mounts) {
    if (mount.contains("subPath")) parts[mount["name"]] = mount["subPath"];
  }
  EXPECT_EQ(parts, (std::map<std::string, std::string>{{"data", "faces/v2"}, {"storage", "team"}}));
}

TEST(Pod, OfAWorkerReadsTheFeatureNetworkFromItsOwnClaim) {
  Plan plan = make_plan();
  EXPECT_EQ(spec_of(plan, Role::kWorker).dump().find("feature-net"), std::string::npos);
  plan.spec.feature_net = {{"features", "/features", "fid"}, "net.pt"};
  const Json spec = spec_of(plan, Role::kWorker);
  const Json mount = {
      {"name", "feature-net"}, {"mountPath", "/features"}, {"readOnly", true}, {"subPath", "fid"}};
  const Json mounts = spec["containers"][0]["volumeMounts"];
  EXPECT_NE(std::find(mounts.begin(), mounts.end(), mount), mounts.end()) << mounts;
  const Json volume = {{"name", "feature-net"},
                       {"persistentVolumeClaim", {{"claimName", "features"}, {"readOnly", true}}}};
  EXPECT_NE(std::find(spec["volumes"].begin(), spec["volumes"].end(), volume),
            spec["volumes"].end());
  EXPECT_EQ(spec_of(plan, Role::kLauncher).dump().find("feature-net"), std::string::npos);
}

TEST(Pod, GivesAWorkerTheTimeForACheckpoint) {
  Plan plan = make_plan();
  plan.spec.checkpoint_deadline_seconds = 77;
  const Json spec = spec_of(plan, Role::kWorker);
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 77);
  EXPECT_TRUE(spec["containers"][0].contains("lifecycle"));
  plan.spec.checkpoint_deadline_seconds = 0;
  EXPECT_EQ(spec_of(plan, Role::kWorker)["terminationGracePeriodSeconds"], 1)
      << "with 0 the API server would not wait for the node";
}

TEST(Pod, GivesTheRanksTheNumberOfTheirAttempt) {
  const Json spec = pod_template(make_plan(), Role::kLauncher, {3, 1})["spec"];
  const Json container = spec["containers"][0];
  EXPECT_NE(container["env"].dump().find(R"({"name":"GANSCALE_ATTEMPT","value":"u/3"})"),
            std::string::npos)
      << container["env"];
  EXPECT_NE(container["args"].dump().find(R"("-x","GANSCALE_ATTEMPT")"), std::string::npos);
}

TEST(Pod, PassesTheProfilesEnvironmentToEachRank) {
  Plan plan = make_plan();
  plan.profile.environment["NCCL_DEBUG"] = "INFO";
  const Json arguments = spec_of(plan, Role::kLauncher)["containers"][0]["args"];
  EXPECT_NE(arguments.dump().find(R"("-x","NCCL_DEBUG")"), std::string::npos);
}

TEST(Pod, LeavesTheRanksUnboundUnlessTheProfileBindsThem) {
  using Words = std::vector<std::string>;
  const auto arguments = [](const Words& mpirun) {
    Plan plan = make_plan();
    plan.profile.mpirun = mpirun;
    return spec_of(plan, Role::kLauncher)["containers"][0]["args"].dump();
  };
  const std::string unbound = R"("--bind-to","none","-x")";
  EXPECT_THAT(arguments({}), testing::HasSubstr(R"("-np","16",)" + unbound));
  EXPECT_THAT(arguments({"--map-by", "ppr:8:node", "--report-bindings"}),
              testing::HasSubstr(R"("--map-by","ppr:8:node","--report-bindings",)" + unbound));
  for (const Words& own : {Words{"--bind-to", "core"}, Words{"-bind-to-socket"},
                           Words{"--mca", "hwloc_base_binding_policy", "core"},
                           Words{"--map-by", "slot:PE=4"}, Words{"-rf", "/ranks"}}) {
    EXPECT_THAT(arguments(own), testing::Not(testing::HasSubstr(unbound))) << own.front();
  }
}

TEST(Pod, KeepsItsCacheWithTheRuns) {
  const Json spec = spec_of(make_plan(), Role::kWorker);
  EXPECT_NE(spec["containers"][0]["env"].dump().find(
                R"({"name":"XDG_CACHE_HOME","value":"/runs/.cache"})"),
            std::string::npos);
}

TEST(Pod, HasAFolderForTheRunWithoutAClaim) {
  Plan plan = make_plan();
  plan.spec.storage.claim_name = "";
  const Json spec = spec_of(plan, Role::kWorker);
  EXPECT_NE(spec["volumes"].dump().find(R"({"emptyDir":{},"name":"storage"})"), std::string::npos);
  EXPECT_NE(spec["containers"][0]["volumeMounts"].dump().find(
                R"({"mountPath":"/runs","name":"storage"})"),
            std::string::npos);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
