#include "gan_training/desired/network_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

/// Whether all labels that a selector names are there; an empty one fits everything.
bool fits(const Json& selector, const Json& labels) {
  const Json wanted = selector.value("matchLabels", Json::object());
  return std::ranges::all_of(wanted.items(), [&](const auto& label) {
    return label.value() == labels.value(label.key(), "");
  });
}

/// A pod that would connect to one of the namespace `team`.
struct Peer {
  std::string name_space;
  Json labels;
};

/// Returns the ports of a training's pod that a peer reaches, of those that something listens on,
/// as a CNI works them out of the policy. A rule without ports is for all; without a selector of
/// namespaces it is for pods of the policy's own.
std::vector<int> reached_by(const Peer& peer, const Json& policy) {
  const Json name_space = {{"kubernetes.io/metadata.name", peer.name_space}};
  std::vector<int> reached;
  for (const int port : {2222, 9400, 9401}) {
    const bool is_open = std::ranges::any_of(policy["spec"]["ingress"], [&](const Json& rule) {
      const Json one = Json::array({{{"protocol", "TCP"}, {"port", port}}});
      const bool has_port = !rule.contains("ports") || rule["ports"] == one;
      return has_port && std::ranges::any_of(rule["from"], [&](const Json& from) {
               const bool is_near = from.contains("namespaceSelector")
                                        ? fits(from["namespaceSelector"], name_space)
                                        : policy["metadata"]["namespace"] == peer.name_space;
               return is_near && fits(from.value("podSelector", Json::object()), peer.labels);
             });
    });
    if (is_open) reached.push_back(port);
  }
  return reached;
}

TEST(NetworkPolicy, LetsStrangersReachNothingButMetrics) {
  const Json policy = network_policy(make_plan(), "ops");
  const Json own = {{kTrainingLabel, "faces"}};
  using Ports = std::vector<int>;
  EXPECT_EQ(policy["spec"]["podSelector"]["matchLabels"], own);
  EXPECT_EQ(policy["spec"]["policyTypes"], Json::array({"Ingress"}));
  EXPECT_EQ(reached_by({"team", own}, policy), (Ports{2222, 9400, 9401}));
  EXPECT_EQ(reached_by({"ops", Json::object()}, policy), (Ports{9400, 9401}));
  EXPECT_EQ(reached_by({"elsewhere", Json::object()}, policy), Ports{9400});
  EXPECT_EQ(reached_by({"elsewhere", own}, policy), Ports{9400}) << "labels are anybody's";
  EXPECT_EQ(reached_by({"team", {{kTrainingLabel, "digits"}}}, policy), Ports{9400});
}

TEST(NetworkPolicy, LetsTheOperatorReachAnAttemptWithTheControlPortOfAnOlderSpec) {
  Plan plan = make_plan();
  plan.config["telemetry"]["control_port"] = -1;
  const Json policy = network_policy(plan, "ops", 9401);
  using Ports = std::vector<int>;
  EXPECT_EQ(reached_by({"ops", Json::object()}, policy), (Ports{9400, 9401}));
  EXPECT_EQ(reached_by({"elsewhere", Json::object()}, policy), Ports{9400});
  EXPECT_EQ(network_policy(make_plan(), "ops", 9401), network_policy(make_plan(), "ops"));
}

TEST(NetworkPolicy, HasNoRuleForAPortThatIsSwitchedOff) {
  Plan plan = make_plan();
  plan.config["telemetry"] = {{"control_port", -1}, {"metrics_port", -1}};
  EXPECT_EQ(network_policy(plan, "ops")["spec"]["ingress"].size(), 1U);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
