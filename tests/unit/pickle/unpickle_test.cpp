#include "pickle/unpickle.h"

#include "support/expect_error.h"
#include "unit/pickle/write_pickle.h"

namespace ganscale::pickle {
namespace {

/// The root of a pickle with these operations. Texts would not outlive it.
Value root_of(const std::string& operations) {
  const std::string content = pickled(operations);
  return unpickle(bytes_of(content)).root;
}

void expect_refused(const std::string& operations, const std::string& why) {
  SCOPED_TRACE(testing::PrintToString(operations));
  expect_error(ExitCode::kData, why, [&] { root_of(operations); });
}

TEST(Unpickle, ReadsPlainValues) {
  EXPECT_EQ(root_of("N"), Value(std::monostate()));
  EXPECT_EQ(root_of("\x88"), Value(true));
  EXPECT_EQ(root_of("\x89"), Value(false));
  EXPECT_EQ(root_of("K\xff"), Value(std::int64_t{255}));
  EXPECT_EQ(root_of("M\x01\x02"), Value(std::int64_t{513}));
  EXPECT_EQ(root_of("J\xfe\xff\xff\xff"), Value(std::int64_t{-2}));
  EXPECT_EQ(root_of("G\x3f\xf8\0\0\0\0\0\0"s), Value(1.5));
}

TEST(Unpickle, ReadsLongIntegersWithTheirSign) {
  EXPECT_EQ(root_of("\x8a\0"s), Value(std::int64_t{0}));
  EXPECT_EQ(root_of("\x8a\x01\xff"), Value(std::int64_t{-1}));
  EXPECT_EQ(root_of("\x8a\x02\xff\0"s), Value(std::int64_t{255}));
  EXPECT_EQ(root_of(number(-5'000'000'000)), Value(std::int64_t{-5'000'000'000}));
  expect_refused("\x8a\x09" + std::string(9, 'x'), "an integer of more than 64 bits");
}

TEST(Unpickle, ReadsContainers) {
  const std::string content =
      pickled("}(" + text("a") + "]q\x07(K\x01K\x02" + "e" + text("b") + "h\x07" + "u");
  const Values values = unpickle(bytes_of(content));
  const Container& dict = values[std::get<ContainerIndex>(values.root)];
  ASSERT_EQ(dict.kind, ContainerKind::kDict);
  ASSERT_EQ(dict.items.size(), 4);
  EXPECT_EQ(dict.items[0], Value(std::string_view("a")));
  EXPECT_EQ(dict.items[1], dict.items[3]);
  EXPECT_EQ(values[std::get<ContainerIndex>(dict.items[1])].items,
            (std::vector<Value>{std::int64_t{1}, std::int64_t{2}}));
}

TEST(Unpickle, ReadsTensorsAsViews) {
  const std::string content = pickled(tensor(6, 1, "K\x02K\x02", "K\x02K\x01"));
  const Values values = unpickle(bytes_of(content));
  const TensorView& view = values[std::get<TensorIndex>(values.root)];
  EXPECT_EQ(view.storage.dtype, Dtype::kFloat);
  EXPECT_EQ(view.storage.key, "0");
  EXPECT_EQ(view.storage.element_count, 6);
  EXPECT_EQ(view.offset, 1);
  EXPECT_EQ(view.sizes, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(view.strides, (std::vector<std::int64_t>{2, 1}));
}

TEST(Unpickle, NamesTheGlobalThatItRefuses) {
  expect_refused(global("os", "system") + tuple(text("touch was-run")) + "R",
                 "the file names os.system, which is neither a tensor nor a plain value");
  expect_refused(global("builtins", "eval"), "builtins.eval");
  expect_refused(global("torch", "load"), "torch.load");
  expect_refused(global("torch.nn.modules.linear", "Linear") + ")\x81",
                 "torch.save(network.state_dict(), FILE)");
}

// INST, OBJ, NEWOBJ, STACK_GLOBAL, EXT1, a text persistent id; and POP, which PyTorch does not write.
TEST(Unpickle, RefusesOtherWaysToMakeObjects) {
  for (const std::string& operation :
       {"(ios\nsystem\n"s, "(o"s, "N)\x81"s, "NN\x93"s, "\x82\x01"s, "P0\n"s, "N0"s}) {
    expect_refused(operation, "an operation that files of tensors do not need");
  }
}

TEST(Unpickle, RefusesOtherProtocols) {
  for (const std::string& content : {"(lp0\n."s, "\x80\x04\x95."s, "\x80"s, ""s, "\x80\x02"s}) {
    EXPECT_THROW(unpickle(bytes_of(content)), DataError);
  }
  expect_error(ExitCode::kData, "not a pickle of protocol 2",
               [] { unpickle(bytes_of("\x80\x04N.")); });
}

TEST(Unpickle, RefusesTruncatedPickles) {
  const std::string whole = pickled("}" + text("w") + tensor(6, 0, "K\x06", "K\x01") + "s");
  EXPECT_NO_THROW(unpickle(bytes_of(whole)));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    EXPECT_THROW(unpickle(bytes_of(part)), DataError) << length;
  }
  expect_refused("X\xff\xff\xff\xffshort", "the pickle is truncated (before byte 7 ");
}

TEST(Unpickle, RefusesToUseWhatIsNotThere) {
  expect_refused("", "uses a value that it lacks");
  expect_refused("N\x86", "uses a value that it lacks");
  expect_refused("N(\x85", "uses a value that it lacks");  // what is under a mark
  expect_refused("t", "ends a group that it did not begin");
  expect_refused("h\x05", "refers to a value that it lacks");
  expect_refused("j\xff\xff\xff\xff", "refers to a value that it lacks");
  expect_refused("q\x05", "uses a value that it lacks");
}

// An index of the memo is not the size of an array.
TEST(Unpickle, TakesAnyIndexOfTheMemo) {
  EXPECT_EQ(root_of("Nr\xff\xff\xff\xffj\xff\xff\xff\xff\x86\x85"s).index(),
            Value(ContainerIndex{}).index());
}

TEST(Unpickle, RefusesValuesOfOtherKinds) {
  expect_refused("NNR", "a value of another kind as a function's arguments");
  expect_refused("N)R", "a value of another kind as a function");
  expect_refused(global("collections", "OrderedDict") + tuple("N") + "R",
                 "makes an OrderedDict from a value");
  expect_refused("NNs", "uses a value that it lacks");
  expect_refused("]NNs", "adds to a container of another kind");
  expect_refused("}(Nu", "a key without a value");
  expect_refused(")Na", "adds to a container of another kind");
  expect_refused("K\x01}b", "a value of another kind as an object with attributes");
  expect_refused("]}b", "gives attributes to a value that is no dict");
  expect_refused("NQ", "a value of another kind as a storage's name");
  expect_refused(")Q", "an unknown kind of storage");
  expect_refused(global("torch._utils", "_rebuild_tensor_v2") + ")R",
                 "makes a tensor from other values");
  expect_refused(global("torch._utils", "_rebuild_parameter") + tuple("NNN") + "R",
                 "a value of another kind as a parameter's tensor");
}

TEST(Unpickle, RefusesTensorsOutsideTheirStorage) {
  expect_refused(tensor(6, 0, "K\x07", "K\x01"), "a tensor is larger than its storage");
  expect_refused(tensor(6, 0, number(std::int64_t{1} << 62) + "K\x04", "K\x00K\x00"s),
                 "a tensor is too large");
  std::string sizes;
  for (int i = 0; i < 17; ++i) sizes += "K\x01";
  expect_refused(tensor(6, 0, sizes, sizes), "a tensor of too many dimensions");
}

TEST(Unpickle, LeavesOutTheAttributesOfADict) {
  const std::string content =
      pickled(global("collections", "OrderedDict") + ")R}" + text("_metadata") + "}sb");
  const Values values = unpickle(bytes_of(content));
  EXPECT_TRUE(values[std::get<ContainerIndex>(values.root)].items.empty());
}

}  // namespace
}  // namespace ganscale::pickle
