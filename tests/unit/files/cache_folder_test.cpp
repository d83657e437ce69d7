#include "files/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ganscale::files {
namespace {

TEST(CacheFolder, IsBelowXdgCacheHome) {
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere/ganscale");
}

TEST(CacheFolder, TakesAnEmptyXdgCacheHomeForUnset) {
  ::setenv("HOME", "/home/somebody", 1);
  ::setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_EQ(cache_folder(), "/home/somebody/.cache/ganscale");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_folder(), "/home/somebody/.cache/ganscale");
}

}  // namespace
}  // namespace ganscale::files
