#include "cli/serve/page_url.h"

#include <gtest/gtest.h>

namespace ganscale::cli {
namespace {

TEST(PageUrl, HasAddressPortAndToken) {
  EXPECT_EQ(page_url({.token = "s3cret"}, 8080), "http://127.0.0.1:8080/?token=s3cret");
  EXPECT_EQ(page_url({.address = "192.0.2.1", .token = "s3cret"}, 80),
            "http://192.0.2.1:80/?token=s3cret");
}

TEST(PageUrl, OfAllInterfacesIsOneThatABrowserOpens) {
  const PageServerConfig config{.address = "0.0.0.0", .token = "s3cret"};
  EXPECT_TRUE(is_on_all_interfaces(config));
  EXPECT_EQ(page_url(config, 8080), "http://localhost:8080/?token=s3cret");
  EXPECT_FALSE(is_on_all_interfaces({.token = "s3cret"}));
}

TEST(PageUrl, WithACertificateIsOfHttps) {
  EXPECT_EQ(page_url({.token = "s3cret", .tls_certificate = "tls.crt", .tls_key = "tls.key"}, 443),
            "https://127.0.0.1:443/?token=s3cret");
}

TEST(PageUrl, DoesNotShowATokenOfAFile) {
  EXPECT_EQ(page_url({.token_file = "token"}, 8080), "http://127.0.0.1:8080/");
}

}  // namespace
}  // namespace ganscale::cli
