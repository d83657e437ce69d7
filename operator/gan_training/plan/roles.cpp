#include "gan_training/plan/roles.h"

#include "base/error.h"

namespace ganscale::controller::gan_training {

std::optional<wire::RoleRatio> role_ratio(const Plan& plan) {
  if (sharing_of(plan.config) != wire::Sharing::kRoles) return std::nullopt;
  const Json text = plan.config.value(Json::json_pointer("/scheme/ratio"), Json("1:1"));
  const auto ratio = text.is_string() ? wire::parse_ratio(text.get<std::string>()) : std::nullopt;
  if (!ratio) {
    throw ConfigError(
        "spec.config.scheme.ratio: expected two positive numbers in quotes, such as \"1:3\": " +
        shown(text));
  }
  return ratio;
}

std::vector<std::string> describe_roles(const Plan& plan) {
  const auto ratio = role_ratio(plan);
  if (!ratio) return {};
  const int ranks = wire::role_ranks(plan.ranks());
  const int ranks_of_replica = ranks / plan.spec.nodes;
  const wire::RolePlan roles(*ratio, ranks);
  std::vector<std::string> lines;
  for (int replica = 0; replica < plan.spec.nodes; ++replica) {
    std::string generators;
    std::string discriminators;
    for (int i = 0; i < ranks_of_replica; ++i) {
      const int rank = replica * ranks_of_replica + i;
      const bool generates = roles.place(rank).role == wire::Role::kGenerator;
      (generates ? generators : discriminators).append(" ").append(std::to_string(rank));
    }
    lines.push_back("replica " + std::to_string(replica) + ": generator:" + generators +
                    "; discriminator:" + discriminators);
  }
  return lines;
}

}  // namespace ganscale::controller::gan_training
