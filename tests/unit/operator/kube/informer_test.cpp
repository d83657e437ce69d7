#include "kube/informer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <sstream>

#include "kube/rest_transport.h"
#include "support/fake_api_server.h"
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
  // Cut at every byte, unless that would be millions of parts.
  const std::size_t part_bytes = body.size() < 100000 ? 1 : 65521;
  for (std::size_t at = 0; at < body.size(); at += part_bytes) {
    const std::string part = body.substr(at, part_bytes);
    std::ostringstream size;
    size << std::hex << part.size();
    write(size.str() + "\r\n" + part + "\r\n");
  }
  write("0\r\n\r\n");
}

void write_error(const LoopbackServer::Write& write, const std::string& status) {
  write("HTTP/1.1 " + status +
        "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
}

const std::string kGone = "410 Gone";                        // instead of a list or a watch
const std::string kUnavailable = "503 Service Unavailable";  // instead of a watch
const std::string kAway = "no answer";      // instead of a watch: the connection ends
const std::string kSilent = "half closed";  // instead of a watch: a head, then nothing

std::optional<Key> label(const Json& object) {
  const Json labels = object["metadata"].value("labels", Json::object());
  return Key{key_of(object).name_space, labels.value("ganscale.dev/training", "")};
}

/// A server whose lists and watches are given in turn; the last list stays, and further watches are
/// empty.
class Scripted {
 public:
  Scripted(std::vector<std::string> lists, std::vector<std::string> watches)
      : lists_(std::move(lists)),
        watches_(std::move(watches)),
        server_([this](const std::string& request, const LoopbackServer::Write& write) {
          if (request.find("watch=1") == std::string::npos) {
            const std::string& list =
                lists_.at(std::min<std::size_t>(listed_++, lists_.size() - 1));
            list == kGone ? write_error(write, list) : write_json(write, list);
          } else {
            answer_watch(write);
          }
        }) {}

  /// idle: after which the client gives up a request. A busy machine must not reach it: the server
  /// would give the next answer in turn to a request that was abandoned.
  std::unique_ptr<Informer> inform(
      std::chrono::seconds idle = std::chrono::seconds(60),
      const Backoff& backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(2)},
      std::chrono::milliseconds short_watch = std::chrono::seconds(5)) {
    ClusterAccess access;
    access.server = server_.url();
    auto informer = std::make_unique<Informer>(
        [access, idle] { return std::make_unique<RestTransport>(access, idle); }, Client::Hooks{},
        Informer::Settings{.resource = resource::kPods,
                           .selector = "ganscale.dev/training",
                           .index = label,
                           .backoff = backoff,
                           .short_watch = short_watch},
        [](const Json&) {});
    informer->start();
    return informer;
  }
  std::vector<std::string> requests() const { return server_.requests(); }

 private:
  void answer_watch(const LoopbackServer::Write& write) {
    const std::string watch = watched_ < watches_.size() ? watches_.at(watched_++) : "";
    if (watch == kAway) return;
    if (watch == kGone || watch == kUnavailable) {
      write_error(write, watch);
    } else if (watch == kSilent) {
      write(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
          "chunked\r\n\r\n");
      server_.wait_for_hangup();
    } else {
      write_stream(write, watch);
    }
  }

  std::vector<std::string> lists_;
  std::vector<std::string> watches_;
  std::atomic<std::size_t> listed_ = 0;
  std::size_t watched_ = 0;
  LoopbackServer server_;
};

std::string list(const std::string& items, const std::string& version,
                 const std::string& next = "") {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + next +
         R"("},"items":[)" + items + "]}";
}

TEST(Informer, FollowsAWatchThatIsCutAtEveryByte) {
  Scripted server({list(pod("a", "1") + "," + pod("b", "2"), "2")},
                  {event("MODIFIED", pod("a", "3")) + event("DELETED", pod("b", "4")) +
                   event("ADDED", pod("c", "5"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) != nullptr; });
  EXPECT_EQ((*informer->find({"n", "a"}))["metadata"]["resourceVersion"], "3");
  EXPECT_EQ(informer->find({"n", "b"}), nullptr);
  EXPECT_EQ(informer->by_index({"n", "t"}).size(), 2U);
  EXPECT_FALSE((*informer->find({"n", "a"}))["metadata"].contains("managedFields"));
}

TEST(Informer, ContinuesFromABookmark) {
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

TEST(Informer, ListsAgainWhenItsVersionHasExpired) {
  const std::string expired =
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
      "\n";
  Scripted server({list(pod("a", "1") + "," + pod("b", "2"), "2"), list(pod("c", "9"), "9")},
                  {expired});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) && informer->all().size() == 1; });
}

TEST(Informer, ListsAgainWhenTheServerRefusesItsVersion) {
  Scripted server({list(pod("a", "1"), "2"), list(pod("c", "9"), "9")}, {kGone});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) && !informer->find({"n", "a"}); });
}

// The server may refuse each version that it gives, as one that lags behind the others.
TEST(Informer, WaitsBeforeItListsAgain) {
  constexpr std::chrono::hours kLong{1};
  Scripted server({list(pod("a", "1"), "2")}, {kGone});
  auto informer = server.inform(std::chrono::seconds(60), {kLong, kLong});
  const auto watches = [&] {
    return std::ranges::count_if(server.requests(), [](const std::string& request) {
      return request.find("watch=1") != std::string::npos;
    });
  };
  wait_until([&] { return watches() > 0; });
  informer.reset();
  EXPECT_EQ(server.requests().size(), 2U) << "a list and a watch";
}

// Else a kind of which nothing is heard would be without a watch for a part of the time, for good.
TEST(Informer, WaitsNoLongerAfterEachOfManyLongWatchesThatBroke) {
  for (const std::string& end : {kAway, kUnavailable, kGone}) {
    std::vector<std::string> watches(20, end);  // waits that double add up to 17 minutes
    watches.push_back(event("ADDED", pod("c", "9")));
    Scripted server({list(pod("a", "1"), "2")}, watches);
    const auto informer = server.inform(std::chrono::seconds(60),
                                        {std::chrono::milliseconds(1), std::chrono::hours(1)},
                                        /*short_watch=*/std::chrono::milliseconds(0));
    wait_until([&] { return informer->find({"n", "c"}) != nullptr; });
  }
}

TEST(Informer, ListsAgainWhenTheServerHasOnlyOlderVersions) {
  const std::string too_large =
      R"({"type":"ERROR","object":{"kind":"Status","code":504,"reason":"Timeout","details":)"
      R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}}})"
      "\n";
  const std::string restored =
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99"}}})"
      "\n";
  for (const std::string& watch : {too_large, restored}) {
    Scripted server({list(pod("a", "100"), "1000"), list(pod("c", "9"), "9")}, {watch});
    const auto informer = server.inform();
    wait_until([&] { return informer->find({"n", "c"}) && !informer->find({"n", "a"}); });
  }
}

TEST(Informer, ListsAgainAfterABrokenWatch) {
  // It was restored from a backup: of what comes before version 1000, its watches are silent.
  for (const std::string& watch : {kAway, kUnavailable}) {
    Scripted server({list(pod("a", "100"), "1000"), list(pod("c", "9"), "9")}, {watch});
    const auto informer = server.inform();
    wait_until([&] { return informer->find({"n", "c"}) && !informer->find({"n", "a"}); });
  }
}

TEST(Informer, TakesAnotherObjectOfTheSameVersion) {
  Json other = Json::parse(pod("a", "5"));
  other["metadata"]["uid"] = "after the restore";
  Scripted server({list(pod("a", "5"), "9"), list(other.dump(), "7")}, {kGone});
  const auto informer = server.inform();
  wait_until([&] {
    const auto found = informer->find({"n", "a"});
    return found && (*found)["metadata"].contains("uid");
  });
}

TEST(Informer, IsAliveWhileItReceivesAnswers) {
  Scripted server({list(pod("a", "1"), "2")}, {});
  const auto informer = server.inform();
  wait_until([&] { return informer->synced(); });
  EXPECT_TRUE(informer->alive());
  EXPECT_FALSE(informer->alive(std::chrono::seconds(0)));
}

TEST(Informer, ReadsAListOfManyPagesAndRestartsWhenItExpiresInBetween) {
  Scripted server({list(pod("gone", "1"), "2", "next"), kGone, list(pod("a", "3"), "7", "next"),
                   list(pod("b", "4"), "7")},
                  {event("ADDED", pod("c", "8"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "c"}) != nullptr; });
  EXPECT_EQ(informer->all().size(), 3U);
  EXPECT_EQ(informer->find({"n", "gone"}), nullptr);
  EXPECT_NE(server.requests().at(3).find("continue=next"), std::string::npos);
  EXPECT_NE(server.requests().at(4).find("resourceVersion=7"), std::string::npos);
}

TEST(Informer, GivesUpAHalfClosedWatchAndListsAgain) {
  const std::string added = event("ADDED", pod("b", "3"));
  // Several times: the server may answer requests that the client has already given up.
  Scripted server({list(pod("a", "1"), "2"), list(pod("c", "1"), "2")},
                  {kSilent, added, added, added, added, added});
  const auto informer = server.inform(std::chrono::seconds(2));
  wait_until([&] { return informer->find({"n", "b"}) != nullptr; });
  EXPECT_NE(informer->find({"n", "c"}), nullptr);
  EXPECT_EQ(informer->find({"n", "a"}), nullptr);
}

/// A stream of events with faults in it: flipped bytes, lines cut off, doubled, or foreign.
std::string spoiled_stream(std::uint32_t seed) {
  std::minstd_rand random(seed);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const std::vector<std::string> foreign{
      "\xff\xfe\n",
      "{}\n",
      R"({"type":"ADDED","object":{"metadata":{"name":3}}})"
      "\n",
      R"({"type":"ADDED","object":{"metadata":{"name":"odd","labels":3}}})"
      "\n",
      R"({"type":"ERROR","object":{"code":"x"}})"
      "\n",
      std::string(2000, '[') + "\n"};
  const std::array types{"ADDED", "MODIFIED", "DELETED"};
  std::string stream;
  for (int i = 0; i < 12; ++i) {
    std::string text =
        event(types.at(below(3)), pod("p" + std::to_string(below(4)), std::to_string(10 + i)));
    if (below(4) == 0) text.at(below(text.size())) = static_cast<char>(random());
    if (below(6) == 0) text.resize(below(text.size()));
    if (below(6) == 0) text = foreign.at(below(foreign.size()));
    stream += text;
  }
  return stream;
}

TEST(Informer, EndsUpRightAfterAnyDamagedStreams) {
  constexpr std::uint32_t kStreams = 60;
  std::vector<std::string> watches;
  for (std::uint32_t seed = 1; seed <= kStreams; ++seed) watches.push_back(spoiled_stream(seed));
  watches.push_back(kGone);
  // A fault that is still an event is believed: only a list can correct it.
  watches.push_back(event("ADDED", pod("last", "101")));
  Scripted server({list(pod("a", "9"), "9")}, watches);
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "last"}) != nullptr; });
  EXPECT_EQ(informer->all().size(), 2U);
  EXPECT_NE(informer->find({"n", "a"}), nullptr);
  EXPECT_EQ(informer->by_index({"n", "t"}).size(), 2U);
}

/// Returns a ConfigMap.
Json config_map(const std::string& name_space, const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", name_space}}}};
}

TEST(Informer, HoldsObjectsOfItsNamespacesOnly) {
  FakeApiServer server;
  for (const char* name_space : {"a", "b", "c"}) {
    server.put(resource::kConfigMaps, config_map(name_space, "old"));
  }
  Informer informer([&] { return server.connect(); }, hooks_without_sleep(),
                    {.resource = resource::kConfigMaps, .name_spaces = {"a", "b"}},
                    [](const Json&) {});
  informer.start();
  wait_until([&] { return informer.synced(); });
  EXPECT_EQ(informer.all().size(), 2U) << "a list of one namespace leaves the other as it is";
  server.put(resource::kConfigMaps, config_map("c", "new"));
  server.put(resource::kConfigMaps, config_map("b", "new"));
  server.remove(resource::kConfigMaps, {"a", "old"});
  wait_until([&] { return informer.find({"b", "new"}) && !informer.find({"a", "old"}); });
  EXPECT_EQ(informer.all().size(), 2U);
  for (const auto& request : server.requests()) {
    EXPECT_NE(request.path.substr(0, request.path.find('?')), "/api/v1/configmaps");
  }
}

/// Returns an informer of ConfigMaps that lists again at once.
std::unique_ptr<Informer> inform_of_maps(FakeApiServer& server,
                                         const std::vector<std::string>& name_spaces) {
  auto informer = std::make_unique<Informer>(
      [&server] { return server.connect(); }, hooks_without_sleep(),
      Informer::Settings{.resource = resource::kConfigMaps,
                         .name_spaces = name_spaces,
                         .backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(2)}},
      [](const Json&) {});
  informer->start();
  return informer;
}

TEST(Informer, DoesWithoutANamespaceThatItMayNotListUntilItMay) {
  FakeApiServer server;
  for (const char* name_space : {"a", "b"}) {
    server.put(resource::kConfigMaps, config_map(name_space, "old"));
  }
  server.forbid("/namespaces/a/");
  const auto informer = inform_of_maps(server, {"a", "b"});
  wait_until([&] { return informer->synced(); });
  EXPECT_TRUE(informer->knows("b"));
  EXPECT_FALSE(informer->knows("a"));
  EXPECT_NE(informer->find({"b", "old"}), nullptr);
  server.allow();
  wait_until([&] { return informer->knows("a"); });
  EXPECT_NE(informer->find({"a", "old"}), nullptr);
}

TEST(Informer, CountsNoObjectsOfANamespaceWhoseRightsItLost) {
  FakeApiServer server;
  for (const char* name_space : {"a", "b"}) {
    server.put(resource::kConfigMaps, config_map(name_space, "old"));
  }
  const auto informer = inform_of_maps(server, {"a", "b"});
  wait_until([&] { return informer->all().size() == 2; });
  server.forbid("/namespaces/a/");
  wait_until([&] { return !informer->knows("a"); });
  ASSERT_EQ(informer->all().size(), 1U);
  EXPECT_EQ(key_of(*informer->all().front()).name_space, "b");
  EXPECT_NE(informer->find({"a", "old"}), nullptr) << "it may still be there";
  server.allow();
  wait_until([&] { return informer->all().size() == 2; });
}

TEST(Informer, IsNotSyncedIfItMayListNothing) {
  for (const auto& name_spaces : {std::vector<std::string>{}, std::vector<std::string>{"a", "b"}}) {
    FakeApiServer server;
    server.forbid("/configmaps");
    const auto informer = inform_of_maps(server, name_spaces);
    wait_until([&] { return server.count("GET", "/configmaps") > 9; });
    EXPECT_FALSE(informer->synced());
  }
}

TEST(Informer, SurvivesTextThatIsNotJson) {
  Scripted server({list(pod("a", "1"), "2")},
                  {"nonsense\n", "{\"type\":\"ADDED\"}\n", event("ADDED", pod("b", "3"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "b"}) != nullptr; });
  EXPECT_NE(informer->find({"n", "a"}), nullptr);
}

TEST(Informer, ReadsObjectsOfTenMegabytesFromListAndWatch) {
  const std::size_t size_bytes = std::size_t{10} << 20;
  const auto large = [&](const std::string& name, const std::string& version) {
    Json object = Json::parse(pod(name, version));
    object["data"] = std::string(size_bytes, 'x');
    return object.dump();
  };
  Scripted server({list(large("a", "3"), "3")}, {event("ADDED", large("b", "4"))});
  const auto informer = server.inform();
  wait_until([&] { return informer->find({"n", "b"}) != nullptr; });
  for (const char* name : {"a", "b"}) {
    const auto object = informer->find({"n", name});
    EXPECT_EQ((*object)["data"].get_ref<const std::string&>().size(), size_bytes) << name;
  }
}

}  // namespace
}  // namespace ganscale::controller
