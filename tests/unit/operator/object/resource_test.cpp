#include "object/resource.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

TEST(Resource, HasThePathsOfTheApi) {
  EXPECT_EQ(resource::kPods.path(), "/api/v1/pods");
  EXPECT_EQ(resource::kPods.path("team"), "/api/v1/namespaces/team/pods");
  EXPECT_EQ(resource::kJobs.path(Key{"team", "a-1.b"}),
            "/apis/batch/v1/namespaces/team/jobs/a-1.b");
}

TEST(Resource, EscapesNamesInPaths) {
  const auto name = [](const std::string& name) {
    const std::string path = resource::kConfigMaps.path(Key{"team", name});
    return path.substr(path.rfind('/') + 1);
  };
  EXPECT_EQ(name("../secrets/key"), "..%2Fsecrets%2Fkey");
  EXPECT_EQ(name(".."), "%2E%2E");
  EXPECT_EQ(name("a?watch=1&b#c"), "a%3Fwatch%3D1%26b%23c");
  EXPECT_EQ(name("a\u202eb"), "a%E2%80%AEb");
  EXPECT_EQ(name("100%"), "100%25");
  EXPECT_EQ(resource::kPods.path("a/b"), "/api/v1/namespaces/a%2Fb/pods");
}

}  // namespace
}  // namespace ganscale::controller
