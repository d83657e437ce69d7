#include "object/key.h"

#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

TEST(Key, IsWhereAnObjectIs) {
  const Key key = key_of({{"metadata", {{"name", "a"}, {"namespace", "n"}}}});
  EXPECT_EQ(key.text(), "n/a");
  EXPECT_EQ(key_of({{"metadata", {{"name", "a"}}}}).name_space, "default");
  EXPECT_LT((Key{"a", "z"}), (Key{"b", "a"}));
}

TEST(Key, OfAValueThatIsNotAnObjectIsAnError) {
  expect_error(ExitCode::kConfig, "metadata.name: expected a text",
               [] { key_of({{"metadata", {{"name", true}}}}); });
  expect_error(ExitCode::kConfig, "metadata: expected an object",
               [] { key_of({{"metadata", 3}}); });
}

TEST(IsOwnedBy, AsksForTheUidOfTheController) {
  const Json object = {
      {"metadata",
       {{"ownerReferences", Json::array({{{"uid", "a"}}, {{"uid", "b"}, {"controller", true}}})}}}};
  EXPECT_TRUE(is_owned_by(object, "b"));
  EXPECT_FALSE(is_owned_by(object, "a")) << "deleted with it, but made by somebody else";
  EXPECT_FALSE(is_owned_by(object, "c"));
  EXPECT_FALSE(is_owned_by({{"metadata", Json::object()}}, "")) << "it has no owner";
  EXPECT_FALSE(is_owned_by({{"metadata", Json::object()}}, "a"));
}

TEST(HasOwnerNamed, AsksForKindAndNameWhateverTheUid) {
  const Json object = {
      {"metadata",
       {{"ownerReferences", Json::array({{{"kind", "Job"}, {"name", "a"}, {"uid", "older"}}})}}}};
  EXPECT_TRUE(has_owner_named(object, "Job", "a"));
  EXPECT_FALSE(has_owner_named(object, "Job", "b"));
  EXPECT_FALSE(has_owner_named(object, "Pod", "a"));
  EXPECT_FALSE(has_owner_named({{"metadata", Json::object()}}, "Job", "a"));
}

}  // namespace
}  // namespace ganscale::controller
