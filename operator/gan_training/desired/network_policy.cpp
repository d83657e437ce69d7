#include "gan_training/desired/network_policy.h"

#include <set>

namespace ganscale::controller::gan_training {
namespace {

Json pods_of(const Plan& plan) { return {{"matchLabels", {{kTrainingLabel, plan.key.name}}}}; }

Json tcp(int port) { return Json::array({{{"protocol", "TCP"}, {"port", port}}}); }

}  // namespace

Json network_policy(const Plan& plan, const std::string& operator_namespace, int attempt_port) {
  Json ingress = Json::array();
  ingress.push_back({{"from", {{{"podSelector", pods_of(plan)}}}}});
  std::set<int> control_ports{control_port(plan.config), attempt_port};
  control_ports.erase(0);
  for (const int port : control_ports) {
    const Json name_space = {
        {"matchLabels", {{"kubernetes.io/metadata.name", operator_namespace}}}};
    ingress.push_back({{"from", {{{"namespaceSelector", name_space}}}}, {"ports", tcp(port)}});
  }
  if (const int port = metrics_port(plan.config); port > 0) {
    ingress.push_back({{"from", {{{"namespaceSelector", Json::object()}}}}, {"ports", tcp(port)}});
  }
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "NetworkPolicy"},
          {"metadata", metadata_of(plan, plan.key.name)},
          {"spec",
           {{"podSelector", pods_of(plan)},
            {"policyTypes", Json::array({"Ingress"})},
            {"ingress", ingress}}}};
}

}  // namespace ganscale::controller::gan_training
