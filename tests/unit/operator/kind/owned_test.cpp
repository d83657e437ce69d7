#include "kind/owned.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

TEST(OwnedMetadata, NamesOwnerLabelsAndNamespace) {
  const ObjectReference owner{"test.dev/v1", "Widget", {"team", "wheel"}, "u"};
  const Json metadata = owned_metadata(owner, "test.dev/widget", "wheel-config");
  EXPECT_EQ(metadata["name"], "wheel-config");
  EXPECT_EQ(metadata["namespace"], "team");
  EXPECT_EQ(metadata["labels"], Json({{"app.kubernetes.io/name", "ganscale"},
                                      {"app.kubernetes.io/instance", "wheel"},
                                      {"app.kubernetes.io/managed-by", "ganscale-operator"},
                                      {"test.dev/widget", "wheel"}}));
  EXPECT_EQ(metadata["ownerReferences"], Json::array({{{"apiVersion", "test.dev/v1"},
                                                       {"kind", "Widget"},
                                                       {"name", "wheel"},
                                                       {"uid", "u"},
                                                       {"controller", true},
                                                       {"blockOwnerDeletion", true}}}));
}

}  // namespace
}  // namespace ganscale::controller
