#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/group_claims.h"
#include "support/thorough.h"

namespace ganscale::training {

/// The claims in which the most groups take turns.
inline const std::vector<std::string_view> kClaimsOfMostGroups{
    "DcganWithSynchronizedBatchNormEqualsOneRank",
    "AdaptiveAugmentationEqualsOneRank",
    "Stylegan2WithUnevenlySharedPathLengthsEqualsOneRank",
    "Stylegan2WithOneGroupOfFewerImagesEqualsOneRank",
    "Staleness0IsSynchronousWithLabels",
    "Staleness0IsSynchronousWithUnevenRoles"};

/// Returns all of the claims in `make check-long`, otherwise those with these names.
inline std::vector<comm::GroupClaim> chosen(std::vector<comm::GroupClaim> claims,
                                            const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    check(std::ranges::find(claims, name, &comm::GroupClaim::name) != claims.end(),
          "the chosen claims have their names");
  }
  if (is_thorough()) return claims;
  std::erase_if(claims, [&](const auto& claim) {
    return std::ranges::find(names, claim.name) == names.end();
  });
  return claims;
}

}  // namespace ganscale::training
