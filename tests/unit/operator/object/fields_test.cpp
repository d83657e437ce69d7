#include "object/fields.h"

#include "object/lookup.h"
#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

void refuses(const Json& object, const std::string& text,
             const std::function<void(Fields&)>& read) {
  expect_error(ExitCode::kConfig, text, [&] {
    Fields in(object, "spec");
    read(in);
  });
}

TEST(Fields, HaveDefaultsIfAbsent) {
  const Json object = {{"none", nullptr}};
  Fields in(object, "spec");
  EXPECT_EQ(in.text("none", "x"), "x");
  EXPECT_EQ(in.whole("absent", 7), 7);
  EXPECT_EQ(in.whole("absent", 7, 1, 9), 7);
  EXPECT_TRUE(in.flag("absent", true));
  EXPECT_TRUE(in.list("absent").empty());
  EXPECT_TRUE(in.words("absent").empty());
  EXPECT_EQ(in.name("absent"), "");
  EXPECT_FALSE(in.has("none"));
}

TEST(Fields, ReadNumbersAsTextsToo) {
  const Json object = {{"cpu", 8}, {"share", 0.5}};
  Fields in(object, "");
  EXPECT_EQ(in.text("cpu"), "8");
  EXPECT_EQ(in.text("share"), "0.5");
}

TEST(Fields, NameTheWholePathOfAWrongOne) {
  refuses({{"a", true}}, "spec.a: expected a text: true", [](Fields& in) { in.text("a"); });
  refuses({{"a", 1.5}}, "spec.a: expected an integer: 1.5", [](Fields& in) { in.whole("a", 0); });
  refuses({{"a", "yes"}}, "spec.a: expected true or false", [](Fields& in) { in.flag("a", true); });
  refuses({{"a", Json::array({1})}}, "spec.a: expected a list of strings",
          [](Fields& in) { in.list("a"); });
  refuses({{"a", 3}}, "spec.a: expected an object: 3", [](Fields& in) { in.object("a"); });
  refuses({{"a", {{"b", Json::array()}}}}, "spec.a.b: expected a text",
          [](Fields& in) { in.words("a"); });
  expect_error(ExitCode::kConfig, "spec: expected an object: []",
               [] { Fields(Json::array(), "spec"); });
}

TEST(Fields, HoldNumbersToTheirRange) {
  for (const int good : {1, 5, 9}) {
    const Json object = {{"a", good}};
    EXPECT_EQ(Fields(object, "").whole("a", 0, 1, 9), good);
  }
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{10}, std::int64_t{1} << 40}) {
    refuses({{"a", bad}}, "spec.a: must be 1 to 9: " + std::to_string(bad),
            [](Fields& in) { in.whole("a", 1, 1, 9); });
  }
}

TEST(Fields, HoldQuantitiesToWhatKubernetesReads) {
  for (const Json& good : {Json(8), Json(0.5), Json("500m"), Json("1.5Gi"), Json("8."), Json(".5"),
                           Json("3k"), Json("1e3"), Json("2E-1"), Json("7E"), Json("0")}) {
    const Json object = {{"a", good}, {"of", {{"rdma/hca", good}}}};
    Fields in(object, "");
    EXPECT_NE(in.quantity("a"), "");
    EXPECT_EQ(in.quantities("of").at("rdma/hca"), in.quantity("a"));
  }
  EXPECT_EQ(Fields(Json::object(), "").quantity("a"), "");
  EXPECT_TRUE(Fields(Json::object(), "").quantities("a").empty());
  for (const Json& bad : {Json("64ki"), Json("1K"), Json("one"), Json("."), Json("-1"), Json(-1),
                          Json(" 1"), Json("1 Gi"), Json("1Gi\n"), Json(std::string(65, '1'))}) {
    refuses({{"a", bad}}, "spec.a: must be a quantity of at least 0, such as 8, 500m or 64Gi: ",
            [](Fields& in) { in.quantity("a"); });
    refuses({{"of", {{"cpu", bad}}}}, "spec.of.cpu: must be a quantity",
            [](Fields& in) { in.quantities("of"); });
  }
  refuses({{"of", {{"cpu", ""}}}}, "spec.of.cpu: must be a quantity",
          [](Fields& in) { in.quantities("of"); });
  refuses({{"of", {{"a b", "1"}}}}, "optionally after a domain and '/': \"a b\"",
          [](Fields& in) { in.quantities("of"); });
}

TEST(Fields, HoldLabelsToWhatKubernetesTakes) {
  const std::string longest(63, 'x');
  for (const std::string& name : {std::string("app"), std::string("A.b_c-9"), longest,
                                  std::string("nvidia.com/gpu"), "example.com/" + longest}) {
    const Json object = {{"a", name}, {"of", {{name, ""}}}};
    Fields in(object, "");
    EXPECT_EQ(in.qualified_name("a", "x"), name);
    EXPECT_EQ(in.qualified_name("absent", "x"), "x");
    EXPECT_EQ(in.labels("of"), (Fields::Words{{name, ""}}));
  }
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("-a"), longest + "x", std::string("/a"),
        std::string("a.b/"), std::string("A.b/c"), std::string("a/b/c"), std::string("a\u202eb")}) {
    refuses({{"a", name}}, "spec.a: must be at most 63 letters",
            [](Fields& in) { in.qualified_name("a", "x"); });
    refuses({{"of", {{name, "b"}}}}, "spec.of: must be at most 63 letters",
            [](Fields& in) { in.labels("of"); });
  }
  for (const std::string& value : {std::string("c d"), std::string("a/b"), longest + "x"}) {
    refuses({{"of", {{"team", value}}}}, "spec.of.team: must be at most 63 letters",
            [](Fields& in) { in.labels("of"); });
  }
}

TEST(Fields, RefuseUnknownOnes) {
  const Json object = {{"known", 1}, {"other", 2}};
  Fields in(object, "node");
  in.whole("known", 0);
  expect_error(ExitCode::kConfig, "node.other: unknown field", [&] { in.refuse_unknown(); });
  in.any("other");
  EXPECT_NO_THROW(in.refuse_unknown());
}

TEST(Fields, CutAndEscapeWhatTheyShow) {
  refuses({{"a", Json::array({std::string(1000, 'x')})}}, "xxx...",
          [](Fields& in) { in.text("a"); });
  refuses({{"a", Json::array({"\u202e"})}}, R"(["\u202e"])", [](Fields& in) { in.text("a"); });
  refuses({{"a", Json::array({"\xff"})}}, "\\ufffd", [](Fields& in) { in.text("a"); });
}

TEST(Lookup, HasAFallbackForAbsentValues) {
  const Json object = {
      {"status", {{"phase", "Running"}, {"count", 3}, {"list", Json::array({1})}}}};
  EXPECT_EQ(text_at(object, "/status/phase"), "Running");
  EXPECT_EQ(text_at(object, "/status/count", "none"), "none");
  EXPECT_EQ(text_at(object, "/status/phase/deeper", "none"), "none");
  EXPECT_EQ(text_at(Json(), "/status"), "");
  EXPECT_EQ(list_at(object, "/status/list").size(), 1U);
  EXPECT_EQ(list_at(object, "/status/phase"), Json::array());
  EXPECT_EQ(list_at(object, "/nothing"), Json::array());
  EXPECT_EQ(whole_at(object, "/status/count"), 3);
  EXPECT_EQ(whole_at(object, "/status/phase"), 0);
  EXPECT_EQ(number_at(object, "/status/count"), 3.0);
  EXPECT_EQ(number_at(object, "/status/phase"), std::nullopt);
}

}  // namespace
}  // namespace ganscale::controller
