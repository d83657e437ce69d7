#include "kube/credentials.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace ganscale::controller {
namespace {

TEST(Credentials, AreReadAnewWhenRefused) {
  const TemporaryFolder folder;
  ClusterAccess access;
  access.token_file = folder.write("token", "first\n");
  Credentials credentials(access);
  EXPECT_EQ(credentials.token(), "first");
  folder.write("token", "second\n");
  EXPECT_EQ(credentials.token(), "first");  // a minute has not passed
  credentials.refresh();
  EXPECT_EQ(credentials.token(), "second");
}

TEST(Credentials, KeepTheLastTokenWhileTheFileIsAway) {
  const TemporaryFolder folder;
  ClusterAccess access;
  access.token_file = folder.write("token", "first");
  Credentials credentials(access);
  EXPECT_EQ(credentials.token(), "first");
  std::filesystem::remove(access.token_file);
  credentials.refresh();
  EXPECT_EQ(credentials.token(), "first");
}

}  // namespace
}  // namespace ganscale::controller
