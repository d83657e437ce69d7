#include "gan_training/desired/overlaid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gan_training/desired/mpi_job.h"
#include "gan_training/desired/pod.h"
#include "object/lookup.h"
#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::HasSubstr;

Plan plan_with(const std::string& pod, const Json& overlay) {
  Plan plan = make_plan();
  plan.profile.environment = {{"NCCL_DEBUG", "WARN"}, {"NCCL_SOCKET_IFNAME", "eth0"}};
  plan.profile.tolerations = Json::array({{{"key", "gpu"}, {"operator", "Exists"}}});
  plan.profile.node_selector = {{"gpu", "a100"}};
  plan.spec.pod_template[pod] = overlay;
  return plan;
}

Json with_container(Json container) {
  container["name"] = "worker";
  return {{"spec", {{"containers", Json::array({container})}}}};
}

/// The values of variables, mounts or volumes by their name or path.
std::map<std::string, Json> by(const char* key, const Json& list) {
  std::map<std::string, Json> found;
  for (const Json& item : list) EXPECT_TRUE(found.emplace(item[key], item).second) << item;
  return found;
}

TEST(Overlaid, KeepsAPodWithoutAnOverlay) {
  const Json pod = {{"metadata", {{"labels", {{"a", "b"}}}}}, {"spec", {{"x", 1}}}};
  EXPECT_EQ(overlaid(pod, make_plan(), "worker"), pod);
  EXPECT_EQ(overlaid(pod, plan_with("worker", nullptr), "worker"), pod);
  EXPECT_EQ(overlaid(pod, plan_with("launcher", {{"spec", {{"hostNetwork", true}}}}), "worker"),
            pod);
}

TEST(Overlaid, AddsLabelsAndAnnotations) {
  const Plan plan =
      plan_with("worker", {{"metadata",
                            {{"labels", {{"team", "vision"}}},
                             {"annotations", {{"k8s.v1.cni.cncf.io/networks", "rail-0"}}}}}});
  const Json metadata = pod_template(plan, Role::kWorker, {3, 0})["metadata"];
  EXPECT_EQ(metadata["labels"]["team"], "vision");
  EXPECT_EQ(metadata["labels"][kAttemptLabel], "3");
  EXPECT_EQ(metadata["annotations"], (Json{{"k8s.v1.cni.cncf.io/networks", "rail-0"}}));
  EXPECT_FALSE(pod_template(plan, Role::kLauncher, {3, 0})["metadata"].contains("annotations"));
}

TEST(Overlaid, MergesMapsByKeyAndAddsToLists) {
  const Json toleration = {{"key", "reserved"}, {"operator", "Exists"}};
  const Json gpu = {{"key", "gpu"}, {"operator", "Exists"}};
  const Plan plan = plan_with("worker", {{"spec",
                                          {{"hostNetwork", true},
                                           {"nodeSelector", {{"rack", "7"}}},
                                           {"securityContext", {{"supplementalGroups", {2000}}}},
                                           {"tolerations", Json::array({gpu, toleration})}}}});
  const Json spec = pod_template(plan, Role::kWorker, {1, 0})["spec"];
  EXPECT_EQ(spec["hostNetwork"], true);
  EXPECT_EQ(spec["nodeSelector"], (Json{{"gpu", "a100"}, {"rack", "7"}}));
  EXPECT_EQ(spec["securityContext"], (Json{{"fsGroup", 1000}, {"supplementalGroups", {2000}}}));
  EXPECT_EQ(spec["tolerations"], (Json::array({gpu, toleration}))) << "each once";
}

TEST(Overlaid, MergesListsByTheKeyOfTheirItems) {
  const Json raid = {{"name", "raid"}, {"hostPath", {{"path", "/raid"}}}};
  const Json mount = {{"name", "raid"}, {"mountPath", "/scratch"}};
  Json overlay = with_container({{"volumeMounts", Json::array({mount})},
                                 {"resources", {{"limits", {{"nvidia.com/hca_vf", "2"}}}}}});
  overlay["spec"]["volumes"] = Json::array({raid});
  const Json spec = pod_template(plan_with("worker", overlay), Role::kWorker, {1, 0})["spec"];
  const Json bare = pod_template(make_plan(), Role::kWorker, {1, 0})["spec"];
  EXPECT_EQ(by("name", spec["volumes"])["raid"], raid);
  EXPECT_EQ(spec["volumes"].size(), bare["volumes"].size() + 1);
  const Json& container = spec["containers"][0];
  EXPECT_EQ(by("mountPath", container["volumeMounts"])["/scratch"], mount);
  EXPECT_EQ(container["resources"]["limits"],
            (Json{{"nvidia.com/gpu", "8"}, {"nvidia.com/hca_vf", "2"}}));
  EXPECT_EQ(container["args"], bare["containers"][0]["args"]);
}

TEST(Overlaid, GivesTheVariablesOfTheWorkerToEveryRank) {
  const Json secret = {{"secretKeyRef", {{"name", "licenses"}, {"key", "vision"}}}};
  const Plan plan =
      plan_with("worker", with_container({{"env",
                                           {{{"name", "NCCL_SOCKET_IFNAME"}, {"value", "net1"}},
                                            {{"name", "LICENSE"}, {"valueFrom", secret}}}}}));
  for (const Role role : {Role::kWorker, Role::kLauncher}) {
    const Json container = pod_template(plan, role, {1, 0})["spec"]["containers"][0];
    auto variables = by("name", container["env"]);
    EXPECT_EQ(variables["NCCL_SOCKET_IFNAME"]["value"], "net1");
    EXPECT_EQ(variables["NCCL_DEBUG"]["value"], "WARN");
    EXPECT_EQ(variables["LICENSE"]["valueFrom"], secret);
  }
  const Json launcher = pod_template(plan, Role::kLauncher, {1, 0})["spec"]["containers"][0];
  EXPECT_THAT(launcher["args"].dump(), HasSubstr(R"("-x","LICENSE")"));
}

TEST(Overlaid, AddsSidecarsBehindTheOperatorsContainer) {
  const Json sidecar = {{"name", "dcgm"}, {"image", "y"}};
  const Plan plan = plan_with("worker", {{"spec", {{"containers", Json::array({sidecar})}}}});
  const Json containers = pod_template(plan, Role::kWorker, {1, 0})["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers[0]["name"], "worker");
  EXPECT_EQ(containers[1], sidecar);
}

TEST(Overlaid, IsAnotherPlanForTheAttempt) {
  const Plan plan = plan_with("launcher", {{"spec", {{"runtimeClassName", "gvisor"}}}});
  EXPECT_NE(plan_hash(plan), plan_hash(plan_with("launcher", Json::object())));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
