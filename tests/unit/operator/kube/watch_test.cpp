#include "kube/watch.h"

#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

std::string line(const std::string& type, const std::string& name) {
  return R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name + R"("}}})" + "\n";
}

TEST(LineSplitter, GivesTheSameLinesWhereverTheStreamIsCut) {
  const std::string stream =
      line("ADDED", "a") + "\n" + line("MODIFIED", "b") + line("DELETED", "c");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LineSplitter lines;
    std::string names;
    const auto take = [&](std::string_view text) {
      names += parse_watch_event(text).object["metadata"]["name"].get<std::string>();
    };
    lines.feed(std::string_view(stream).substr(0, cut), take);
    lines.feed(std::string_view(stream).substr(cut), take);
    EXPECT_EQ(names, "abc") << cut;
  }
}

TEST(LineSplitter, GivesTheSameLinesByteByByte) {
  const std::string stream = line("ADDED", "a") + line("ADDED", "b");
  LineSplitter lines;
  int count = 0;
  for (const char byte : stream) lines.feed({&byte, 1}, [&](std::string_view) { ++count; });
  EXPECT_EQ(count, 2);
}

TEST(LineSplitter, TakesLargeObjectsAndRefusesEndlessOnes) {
  LineSplitter lines;
  const std::string large(10 << 20, 'x');
  std::size_t seen_bytes = 0;
  lines.feed(large, [](std::string_view) {});
  lines.feed("\n", [&](std::string_view text) { seen_bytes = text.size(); });
  EXPECT_EQ(seen_bytes, large.size());
  expect_error(ExitCode::kData, "too long", [&] {
    for (int i = 0; i < 7; ++i) lines.feed(large, [](std::string_view) {});
  });
}

TEST(WatchEvent, ReadsBookmarksAndErrors) {
  EXPECT_EQ(
      parse_watch_event(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}})")
          .kind,
      WatchKind::kBookmark);
  const auto expired = parse_watch_event(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})");
  EXPECT_EQ(expired.kind, WatchKind::kError);
  EXPECT_EQ(expired.code, 410);
}

TEST(WatchEvent, RefusesOtherText) {
  for (const char* text :
       {"", "{", "[]", "3", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":3})",
        R"({"type":7,"object":{}})", R"({"type":"NEWS","object":{"metadata":{}}})",
        R"({"type":"ADDED","object":{}})", "\xff\xfe"}) {
    expect_error(ExitCode::kData, "is not an event", [&] { parse_watch_event(text); });
  }
}

}  // namespace
}  // namespace ganscale::controller
