#include "wire/role_plan.h"

#include <charconv>

namespace ganscale::wire {
namespace {

constexpr int kMostRanks = 1'000'000;

std::optional<int> parse_positive(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 1 || number > kMostRanks) return std::nullopt;
  return number;
}

}  // namespace

std::optional<RoleRatio> parse_ratio(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto generator = parse_positive(text.substr(0, colon));
  const auto discriminator = parse_positive(text.substr(colon + 1));
  if (!generator || !discriminator) return std::nullopt;
  return RoleRatio{*generator, *discriminator};
}

std::string to_text(const RoleRatio& ratio) {
  return std::to_string(ratio.generator) + ":" + std::to_string(ratio.discriminator);
}

int RolePlan::size(Role role) const {
  return rows_ * (role == Role::kGenerator ? ratio_.generator : ratio_.discriminator);
}

RolePlace RolePlan::place(int world_rank) const {
  const int row = world_rank / ratio_.sum();
  const int column = world_rank % ratio_.sum();
  if (column < ratio_.generator) return {Role::kGenerator, row * ratio_.generator + column};
  return {Role::kDiscriminator, row * ratio_.discriminator + column - ratio_.generator};
}

int RolePlan::world_rank(const RolePlace& place) const {
  const bool generates = place.role == Role::kGenerator;
  const int width = generates ? ratio_.generator : ratio_.discriminator;
  const int first_column = generates ? 0 : ratio_.generator;
  return place.rank / width * ratio_.sum() + first_column + place.rank % width;
}

}  // namespace ganscale::wire
