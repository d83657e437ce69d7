#include "telemetry/reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ganscale::telemetry {
namespace {

TEST(MetricsReference, IsThePageInDocs) {
  const std::filesystem::path page = std::filesystem::path(GANSCALE_SOURCE_DIR) / "docs/metrics.md";
  if (std::getenv("GANSCALE_UPDATE_DOCS") != nullptr) std::ofstream(page) << metrics_reference();
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_EQ(text.str(), metrics_reference())
      << "docs/metrics.md is stale; renew it with: make docs";
}

}  // namespace
}  // namespace ganscale::telemetry
