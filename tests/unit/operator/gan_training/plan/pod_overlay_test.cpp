#include "gan_training/plan/pod_overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gan_training/desired/pod.h"
#include "kind/refusal.h"
#include "unit/operator/gan_training/desired/make_plan.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Why overlays are refused; empty: they are not.
std::string problem(const Json& pod_template) {
  Plan plan = make_plan();
  plan.profile.shm = "1Gi";
  plan.profile.resources["rdma/hca"] = "1";
  plan.spec.pod_template = pod_template;
  return refusal_of([&] { check_overlays(plan); }).problem;
}

std::string problem_of_spec(const Json& spec, const std::string& pod = "worker") {
  return problem({{pod, {{"spec", spec}}}});
}

/// `container` is laid over the operator's own.
std::string problem_of_container(Json container, const std::string& pod = "worker") {
  container["name"] = pod;
  return problem_of_spec({{"containers", Json::array({container})}}, pod);
}

TEST(PodOverlay, MayAddWhatTheOperatorDoesNotSet) {
  const Json container = {
      {"name", "worker"},
      {"env",
       {{{"name", "NCCL_DEBUG"}, {"value", "INFO"}},
        {{"name", "KEY"}, {"valueFrom", {{"secretKeyRef", {{"name", "a"}, {"key", "b"}}}}}}}},
      {"resources", {{"limits", {{"nvidia.com/hca_vf", 2}}}}},
      {"volumeMounts", Json::array({{{"name", "raid"}, {"mountPath", "/scratch"}}})}};
  const Json sidecar = {{"name", "dcgm"}, {"image", "y"}, {"command", {"dcgm"}}};
  const Json spec = {{"hostNetwork", true},
                     {"runtimeClassName", "nvidia"},
                     {"tolerations", Json::array({{{"key", "a"}, {"operator", "Exists"}}})},
                     {"volumes", Json::array({{{"name", "raid"}, {"hostPath", {{"path", "/r"}}}}})},
                     {"containers", Json::array({container, sidecar})}};
  const Json metadata = {{"annotations", {{"k8s.v1.cni.cncf.io/networks", "rail-0"}}},
                         {"labels", {{"team", "vision"}}}};
  EXPECT_EQ(problem({{"worker", {{"metadata", metadata}, {"spec", spec}}},
                     {"launcher", {{"spec", {{"hostNetwork", true}}}}}}),
            "");
}

TEST(PodOverlay, CannotChangeAnythingThatTheOperatorMakes) {
  Plan plan = make_plan();
  plan.profile.shm = "1Gi";
  for (const auto& [role, pod] :
       {std::pair(Role::kWorker, "worker"), std::pair(Role::kLauncher, "launcher")}) {
    const Json made = pod_template(plan, role, {1, 0});
    const Json& own = made["spec"]["containers"][0];
    for (const auto& label : made["metadata"]["labels"].items()) {
      EXPECT_THAT(problem({{pod, {{"metadata", {{"labels", {{label.key(), "x"}}}}}}}}),
                  StartsWith("spec.podTemplate." + std::string(pod) + ".metadata.labels["));
    }
    for (const Json& volume : made["spec"]["volumes"]) {
      EXPECT_THAT(problem_of_spec({{"volumes", Json::array({{{"name", volume["name"]}}})}}, pod),
                  HasSubstr(".spec.volumes[" + volume["name"].dump() + "]: is the operator's"));
    }
    for (const Json& mount : own["volumeMounts"]) {
      EXPECT_THAT(problem_of_container({{"volumeMounts", Json::array({mount})}}, pod),
                  HasSubstr("volumeMounts[" + mount["mountPath"].dump() + "]: is the operator's"));
    }
    for (const auto& field : own.items()) {
      if (field.key() == "name" || field.key() == "env" || field.key() == "volumeMounts" ||
          field.key() == "resources") {
        continue;
      }
      EXPECT_THAT(problem_of_container({{field.key(), field.value()}}, pod),
                  HasSubstr("." + field.key() + ": can't be set by a podTemplate"));
    }
  }
}

TEST(PodOverlay, MayMountAVolumeWhereDataWouldBe) {
  Plan plan = make_plan();
  const Json mounts = Json::array({{{"name", "disk"}, {"mountPath", "/data"}}});
  const Json worker = {{"name", "worker"}, {"volumeMounts", mounts}};
  const Json disk = {{"name", "disk"}, {"hostPath", {{"path", "/d"}}}};
  plan.spec.pod_template = {
      {"worker",
       {{"spec", {{"containers", Json::array({worker})}, {"volumes", Json::array({disk})}}}}}};
  const auto problem_of_plan = [&] { return refusal_of([&] { check_overlays(plan); }).problem; };
  EXPECT_THAT(problem_of_plan(), HasSubstr("volumeMounts[\"/data\"]: is the operator's"));
  plan.spec.data.claim_name.clear();
  EXPECT_EQ(problem_of_plan(), "");
}

TEST(PodOverlay, CannotChangeTheVariablesThatRanksDependOn) {
  const auto set = [](const std::string& name) {
    return problem_of_container({{"env", Json::array({{{"name", name}, {"value", "1"}}})}},
                                "launcher");
  };
  for (const char* name :
       {"PRTE_MCA_prte_default_hostfile", "OMPI_MCA_orte_default_hostfile", "K_MPI_JOB_ROLE"}) {
    EXPECT_THAT(set(name), HasSubstr("is the operator's")) << name;
  }
  for (const std::string_view name : wire::environment::kAll) {
    EXPECT_THAT(set(std::string(name)), HasSubstr("is the operator's")) << name;
  }
  EXPECT_EQ(set("XDG_CACHE_HOME"), "") << "a default";
  EXPECT_THAT(
      problem_of_container(
          {{"env",
            Json::array({{{"name", "HOST"},
                          {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}}})}}),
      HasSubstr(R"(env["HOST"]: a variable of the ranks needs a value, a secretKeyRef)"));
}

TEST(PodOverlay, CannotChangeTheResourcesOfTheNodeProfile) {
  for (const char* name : {"cpu", "memory", "nvidia.com/gpu", "rdma/hca"}) {
    EXPECT_EQ(problem_of_container({{"resources", {{"requests", {{name, 1}}}}}}),
              "spec.podTemplate.worker.spec.containers[\"worker\"].resources.requests." +
                  std::string(name) +
                  ": is in the node profile: choose another, or write it out in spec.node");
  }
  EXPECT_EQ(problem_of_container({{"resources", {{"limits", {{"memory", "2Gi"}}}}}}, "launcher"),
            "");
}

TEST(PodOverlay, NamesLabelsThatNoPodMayHave) {
  const auto problem_of_labels = [](const Json& labels) {
    return problem({{"worker", {{"metadata", {{"labels", labels}}}}}});
  };
  EXPECT_THAT(problem_of_labels({{"a b", "c"}}),
              AllOf(StartsWith("spec.podTemplate.worker.metadata.labels: must be at most 63"),
                    HasSubstr("optionally after a domain and '/': \"a b\"")));
  EXPECT_THAT(problem_of_labels({{"team", "c d"}}),
              AllOf(StartsWith("spec.podTemplate.worker.metadata.labels.team: must be"),
                    HasSubstr("\"c d\"")));
  EXPECT_THAT(problem_of_spec({{"nodeSelector", {{"rack", "7!"}}}}),
              StartsWith("spec.podTemplate.worker.spec.nodeSelector.rack: must be"));
}

TEST(PodOverlay, NamesQuantitiesThatAreNone) {
  const Json resources = {{"limits", {{"x/y", "lots"}}}};
  EXPECT_EQ(problem_of_container({{"resources", resources}}),
            "spec.podTemplate.worker.spec.containers[\"worker\"].resources.limits.x/y: must be a "
            "quantity of at least 0, such as 8, 500m or 64Gi: \"lots\"");
  EXPECT_THAT(problem_of_container({{"resources", resources}}, "launcher"), HasSubstr("lots"));
  const Json side = {{"name", "side"}, {"image", "y"}, {"resources", resources}};
  for (const char* list : {"containers", "initContainers"}) {
    EXPECT_THAT(problem_of_spec({{list, Json::array({side})}}),
                HasSubstr(std::string(list) + "[\"side\"].resources.limits.x/y"))
        << list;
  }
}

TEST(PodOverlay, NamesMountsOfVolumesThatAreNotThere) {
  const auto mount = [](const std::string& volume) {
    return Json::array({{{"name", volume}, {"mountPath", "/scratch"}}});
  };
  EXPECT_EQ(problem_of_container({{"volumeMounts", mount("raid")}}),
            "spec.podTemplate.worker.spec.containers[\"worker\"].volumeMounts[\"/scratch\"]: no "
            "such volume in the pod: volumes[\"raid\"]");
  const Json device = {{"name", "raid"}, {"devicePath", "/dev/raid"}};
  EXPECT_THAT(problem_of_container({{"volumeDevices", Json::array({device})}}),
              HasSubstr("volumeDevices[\"/dev/raid\"]: no such volume in the pod"));
  for (const char* list : {"containers", "initContainers"}) {
    const auto problem_of_mount = [&](const std::string& volume) {
      const Json side = {{"name", "side"}, {"image", "y"}, {"volumeMounts", mount(volume)}};
      const Json raid = {{"name", "raid"}, {"emptyDir", Json::object()}};
      return problem_of_spec({{list, Json::array({side})}, {"volumes", Json::array({raid})}});
    };
    EXPECT_EQ(problem_of_mount("raid"), "");
    EXPECT_EQ(problem_of_mount("storage"), "") << "the operator's";
    EXPECT_THAT(problem_of_mount("other"), HasSubstr("[\"side\"].volumeMounts[\"/scratch\"]"));
  }
  EXPECT_THAT(problem_of_container(
                  {{"volumeMounts", Json::array({{{"name", "tmp"}, {"mountPath", "/"}}})}}),
              HasSubstr("volumeMounts[\"/\"]: is the operator's"));
}

TEST(PodOverlay, NamesInitContainersWithTheNameOfAnother) {
  const auto with = [](const std::string& name, const std::string& pod) {
    const Json side = {{"name", "side"}, {"image", "y"}};
    Json spec = {{"initContainers", Json::array({{{"name", name}, {"image", "y"}}})}};
    if (pod == "worker") spec["containers"] = Json::array({side});
    return problem_of_spec(spec, pod);
  };
  for (const char* pod : {"worker", "launcher"}) {
    EXPECT_EQ(with("wait", pod), "");
    for (const char* name : {"worker", "launcher"}) {
      EXPECT_THAT(with(name, pod), HasSubstr("initContainers[\"" + std::string(name) +
                                             "\"]: is the operator's: choose another"));
    }
  }
  EXPECT_THAT(with("side", "worker"),
              HasSubstr("initContainers[\"side\"]: is the name of a sidecar: choose another"));
}

TEST(PodOverlay, NamesUnknownFields) {
  EXPECT_THAT(problem_of_spec({{"hostNetwrok", true}}),
              AllOf(StartsWith("spec.podTemplate.worker.spec.hostNetwrok: can't be set by a "
                               "podTemplate, which may set: affinity, "),
                    HasSubstr("runtimeClassName")));
  EXPECT_THAT(problem_of_spec({{"restartPolicy", "Always"}}), HasSubstr("can't be set"));
  EXPECT_THAT(problem({{"spec", {{"hostNetwork", true}}}}),
              StartsWith("spec.podTemplate.spec: unknown: podTemplate has worker and launcher"));
  EXPECT_THAT(problem({{"worker", {{"hostNetwork", true}}}}),
              StartsWith("spec.podTemplate.worker.hostNetwork: unknown"));
}

TEST(PodOverlay, HasSidecarsInWorkersAlone) {
  const Json sidecar = {{"containers", Json::array({{{"name", "dcgm"}, {"image", "y"}}})}};
  EXPECT_EQ(problem_of_spec(sidecar), "");
  EXPECT_THAT(problem_of_spec(sidecar, "launcher"), HasSubstr("keep the launcher from ending"));
  EXPECT_THAT(problem_of_spec({{"containers", Json::array({{{"name", "launcher"}}})}}),
              HasSubstr("is a container of the other pod"));
}

TEST(PodOverlay, RequiresTheSameNetworkForBothPods) {
  EXPECT_THAT(problem_of_spec({{"hostNetwork", true}}),
              StartsWith("spec.podTemplate.launcher.spec.hostNetwork: must be as in worker"));
}

TEST(PodOverlay, NeedsTheKeysOfItsLists) {
  const auto volumes = [](const Json& list) { return problem_of_spec({{"volumes", list}}); };
  EXPECT_THAT(volumes({{"name", "a"}}), HasSubstr("volumes: expected a list"));
  EXPECT_THAT(volumes(Json::array({1})),
              HasSubstr("volumes: expected a list of objects, each with its name"));
  EXPECT_THAT(volumes(Json::array({{{"name", "a"}}, {{"name", "a"}}})),
              HasSubstr("volumes[\"a\"]: occurs twice"));
  EXPECT_THAT(volumes(Json::array({{{"name", "a\u202e\n"}}, {{"name", "a\u202e\n"}}})),
              HasSubstr(R"(volumes["a\u202e\n"]: occurs twice)"));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
