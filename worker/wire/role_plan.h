#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ganscale::wire {

/// The network that a rank of scheme asynchronous trains.
enum class Role { kGenerator, kDiscriminator };

inline constexpr std::array<std::pair<Role, std::string_view>, 2> kRoleNames{
    {{Role::kGenerator, "generator"}, {Role::kDiscriminator, "discriminator"}}};

/// All ranks come to agreements after steps whose numbers are multiples of it.
inline constexpr int kStepsBetweenAgreements = 16;

/// The ranks that train the generator to those that train the discriminator.
struct RoleRatio {
  int generator = 1;
  int discriminator = 1;

  int sum() const { return generator + discriminator; }
};

/// Returns the number of ranks of these processes: a single one has both roles.
constexpr int role_ranks(int processes) { return processes == 1 ? 2 : processes; }

/// Reads "1:3"; nothing if the text is not a ratio of positive numbers.
std::optional<RoleRatio> parse_ratio(std::string_view text);
/// Returns what parse_ratio() reads, such as "1:3".
std::string to_text(const RoleRatio& ratio);

/// A rank within its role.
struct RolePlace {
  Role role = Role::kGenerator;
  int rank = 0;

  bool operator==(const RolePlace&) const = default;
};

/// Which rank trains which network: of each ratio.sum() ranks in a row the first ones train the
/// generator, so that each node has both roles.
class RolePlan {
 public:
  /// world_size: a multiple of ratio.sum().
  RolePlan(RoleRatio ratio, int world_size) : ratio_(ratio), rows_(world_size / ratio.sum()) {}

  /// Returns the number of ranks of a role.
  int size(Role role) const;
  RolePlace place(int world_rank) const;
  int world_rank(const RolePlace& place) const;

 private:
  RoleRatio ratio_;
  int rows_;  ///< of ratio.sum() ranks
};

}  // namespace ganscale::wire
