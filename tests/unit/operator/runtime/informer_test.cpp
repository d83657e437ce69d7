#include "runtime/informer.h"

#include <gtest/gtest.h>

#include "kube/rest_transport.h"
#include "support/loopback_server.h"
#include "support/wait_until.h"

namespace ganscale::controller {
namespace {

std::string pod(const std::string& name, const std::string& version) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"n","resourceVersion":")" + version +
         R"(","labels":{"ganscale.dev/training":"t"},"managedFields":[1]}})";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

void write_json(const LoopbackServer::Write& write, const std::string& body) {
  write(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
}

void write_stream(const LoopbackServer::Write& write, const std::string& body) {
  write(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: "
      "close\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char byte : body) write("1\r\n" + std::string(1, byte) + "\r\n");  // cut at every byte
  write("0\r\n\r\n");
}

/// A server whose lists and watches are given in turn; the last watch is empty for ever.
class Scripted {
 public:
  Scripted(std::vector<std::string> lists, std::vector<std::string> watches)
      : lists_(std::move(lists)),
        watches_(std::move(watches)),
        server_([this](const std::string& request, const LoopbackServer::Write& write) {
          if (request.find("watch=1") == std::string::npos) {
            write_json(write, lists_.at(std::min(listed_++, lists_.size() - 1)));
          } else if (watched_ < watches_.size()) {
            write_stream(write, watches_.at(watched_++));
          } else {
            write_stream(write, "");
          }
        }) {}

  std::unique_ptr<Informer> inform() {
    ClusterAccess access;
    access.server = server_.url();
    auto informer = std::make_unique<Informer>(
        std::make_unique<RestTransport>(access, std::chrono::seconds(5)), Client::Hooks{},
        Informer::Settings{
            .resource = resource::kPods,
            .selector = "ganscale.dev/training",
            .backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(20)}},
        [](const Json&) {});
    informer->start();
    return informer;
  }
  std::vector<std::string> requests() const { return server_.requests(); }

 private:
  std::vector<std::string> lists_;
  std::vector<std::string> watches_;
  std::size_t listed_ = 0;
  std::size_t watched_ = 0;
  LoopbackServer server_;
};

std::string list(const std::string& items, const std::string& version) {
  return R"({"metadata":{"resourceVersion":")" + version + R"("},"items":[)" + items + "]}";
}

TEST(Informer, FollowsAWatchThatIsCutAtEveryByte) {
  Scripted server({list(pod("a", "1") + "," + pod("b", "2"), "2")},
                  {event("MODIFIED", pod("a", "3")) + event("DELETED", pod("b", "4")) +
                   event("ADDED", pod("c", "5"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) != nullptr; });
  EXPECT_EQ((*informer->find({"n", "a"}))["metadata"]["resourceVersion"], "3");
  EXPECT_EQ(informer->find({"n", "b"}), nullptr);
  EXPECT_EQ(informer->of_training({"n", "t"}).size(), 2U);
  EXPECT_FALSE((*informer->find({"n", "a"}))["metadata"].contains("managedFields"));
}

TEST(Informer, GoesOnWhereABookmarkWas) {
  Scripted server({list(pod("a", "1"), "2")},
                  {R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"77"}}})"
                   "\n"});
  const auto informer = server.inform();
  wait_until([&] {
    for (const auto& request : server.requests()) {
      if (request.find("resourceVersion=77") != std::string::npos) return true;
    }
    return false;
  });
}

TEST(Informer, ListsAnewWhenItsVersionHasExpired) {
  const std::string expired =
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
      "\n";
  Scripted server({list(pod("a", "1") + "," + pod("b", "2"), "2"), list(pod("c", "9"), "9")},
                  {expired});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) && !informer->find({"n", "a"}); });
  EXPECT_EQ(informer->all().size(), 1U);
}

TEST(Informer, SurvivesWhatIsNoJson) {
  Scripted server({list(pod("a", "1"), "2")},
                  {"nonsense\n", "{\"type\":\"ADDED\"}\n", event("ADDED", pod("b", "3"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "b"}) != nullptr; });
  EXPECT_NE(informer->find({"n", "a"}), nullptr);
}

TEST(Informer, ReadsAnObjectOfTenMegabytes) {
  Json large = Json::parse(pod("large", "3"));
  large["data"] = std::string(10 << 20, 'x');
  Scripted server({list(large.dump(), "3")}, {});
  const auto informer = server.inform();
  wait_until([&] { return informer->synced(); });
  EXPECT_EQ((*informer->find({"n", "large"}))["data"].get_ref<const std::string&>().size(),
            std::size_t{10} << 20);
}

}  // namespace
}  // namespace ganscale::controller
