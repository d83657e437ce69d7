#include "pickle/read_tensors.h"

#include "support/expect_error.h"
#include "unit/pickle/write_pickle.h"

namespace ganscale::pickle {
namespace {

const std::string kTensor = tensor(1, 0, "", "");

Content content_of(const std::string& pickle) { return read_tensors(bytes_of(pickle)); }

std::vector<std::string> names_of(const Content& content) {
  std::vector<std::string> names;
  for (const auto& [name, view] : content.tensors) names.push_back(name);
  return names;
}

TEST(ReadTensors, NamesThemByTheirPaths) {
  const std::string pickle = pickled("}(" + text("G") + "}" + text("conv.weight") + kTensor + "s" +
                                     text("steps") + "](" + kTensor + "K\x05" + tuple(kTensor) +
                                     "e" + "K\x03" + kTensor + text("name") + text("x") + "u");
  const Content content = content_of(pickle);
  EXPECT_EQ(names_of(content),
            (std::vector<std::string>{"3", "G.conv.weight", "steps.0", "steps.2.0"}));
  EXPECT_EQ(content.others, (std::vector<std::string>{"steps.1", "name"}));
}

TEST(ReadTensors, TakesATensorUnderTwoNames) {
  const std::string pickle = pickled("}(" + text("a") + kTensor + "q\x01" + text("b") + "h\x01u");
  EXPECT_EQ(names_of(content_of(pickle)), (std::vector<std::string>{"a", "b"}));
}

TEST(ReadTensors, RefusesTwoTensorsOfOneName) {
  const std::string pickle =
      pickled("}(" + text("a.b") + kTensor + text("a") + "}" + text("b") + kTensor + "su");
  expect_error(ExitCode::kData, "two tensors of one name: a.b", [&] { content_of(pickle); });
}

TEST(ReadTensors, RefusesKeysThatAreNoNames) {
  const std::string pickle = pickled("}N" + kTensor + "s");
  expect_error(ExitCode::kData, "a key that is neither a text nor an integer",
               [&] { content_of(pickle); });
}

TEST(ReadTensors, RefusesALongName) {
  const std::string pickle = pickled("}" + text(std::string(513, 'x')) + kTensor + "s");
  expect_error(ExitCode::kData, "a name that is too long", [&] { content_of(pickle); });
}

TEST(ReadTensors, RefusesAValueThatContainsItself) {
  for (const std::string& pickle :
       {pickled("]q\x01h\x01" + "a"s), pickled("}q\x01" + text("a") + "h\x01s")}) {
    expect_error(ExitCode::kData, "nested too deeply, or contains itself",
                 [&] { content_of(pickle); });
  }
}

// A recursive destructor would overflow the stack as well.
TEST(ReadTensors, RefusesValuesNestedAMillionTimes) {
  const std::string pickle = pickled("N" + std::string(1'000'000, '\x85'));
  expect_error(ExitCode::kData, "nested too deeply", [&] { content_of(pickle); });
}

// Ten lists, each with the one before ten times: ten bytes more for ten times the values.
TEST(ReadTensors, RefusesMoreValuesThanAFileOfTensorsHas) {
  std::string list = "N";
  for (int i = 0; i < 10; ++i) {
    list += "q\x01" + "]("s;
    for (int j = 0; j < 10; ++j) list += "h\x01";
    list += "e";
  }
  const std::string pickle = pickled(tuple(list) + "q\x02");
  expect_error(ExitCode::kData, "too many values", [&] { content_of(pickle); });
}

}  // namespace
}  // namespace ganscale::pickle
