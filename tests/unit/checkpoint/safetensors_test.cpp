#include "checkpoint/safetensors.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "files/input_error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A file with this header (of the right length) and this many bytes of data.
std::filesystem::path write_file(const TemporaryFolder& folder, const std::string& json,
                                 std::size_t data_bytes) {
  const auto file = folder / "weights.safetensors";
  const std::uint64_t length = json.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), 8);
  out << json << std::string(data_bytes, '\1');
  return file;
}

struct BadHeader {
  std::string name;
  std::string json;
  std::size_t data_bytes;
  std::string message;
};

void PrintTo(const BadHeader& bad, std::ostream* out) { *out << bad.json; }

class SafetensorsBadHeader : public testing::TestWithParam<BadHeader> {};

TEST_P(SafetensorsBadHeader, IsADataErrorThatNamesFileAndReason) {
  const TemporaryFolder folder;
  const auto file = write_file(folder, GetParam().json, GetParam().data_bytes);
  expect_error(ExitCode::kData, GetParam().message, [&] { read_safetensors(file); });
  expect_error(ExitCode::kData, file.string(), [&] { read_safetensors(file); });
}

INSTANTIATE_TEST_SUITE_P(
    Table, SafetensorsBadHeader,
    testing::Values(
        BadHeader{"Empty", "", 0, "the header is not a JSON object"},
        BadHeader{"List", "[]", 0, "the header is not a JSON object"},
        BadHeader{"LeadingSpace", " {}", 0, "the header is not a JSON object"},
        BadHeader{"CutOff", R"({"a":)", 0, "the header is not JSON"},
        BadHeader{"NameTwice",
                  R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                  2, "duplicate name in the header"},
        BadHeader{"UnknownDtype", R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4,
                  "unknown dtype: "},
        BadHeader{"MissingShape", R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4,
                  "a tensor needs dtype, shape, data_offsets"},
        BadHeader{"UnknownKey",
                  R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"strides":[1]}})", 1,
                  "a tensor needs dtype, shape, data_offsets and nothing else"},
        BadHeader{"NegativeShape", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1,
                  "expected nonnegative integers"},
        BadHeader{"FractionalShape", R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})",
                  1, "expected nonnegative integers"},
        BadHeader{"OneOffset", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1]}})", 1,
                  "data_offsets are not a begin and an end"},
        BadHeader{"EndBeforeBegin", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1,
                  "data_offsets are not a begin and an end"},
        BadHeader{"WrongSize", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
                  "a: 4 bytes, expected 8"},
        BadHeader{"Overflow",
                  R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})",
                  0, "expected more than a file can have"},
        BadHeader{"OverflowOfStrides",
                  R"({"a":{"dtype":"U8","shape":[0,4611686018427387904,4],"data_offsets":[0,0]}})",
                  0, "expected more than a file can have"},
        BadHeader{"Truncated", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7,
                  "the safetensors file is truncated: "},
        BadHeader{"TrailingBytes", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9,
                  "there are bytes after the last tensor"},
        BadHeader{"Overlap",
                  R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                  R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                  3, "a tensor overlaps another one: "},
        BadHeader{"Hole",
                  R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
                  3, "there is a gap before a tensor: "},
        BadHeader{"MetadataOfNumbers", R"({"__metadata__":{"step":1}})", 0,
                  "a value in __metadata__ is not a string"}),
    [](const auto& info) { return info.param.name; });

TEST(Safetensors, ReadsBackEveryDtypeBitForBit) {
  const TemporaryFolder folder;
  const auto values = at::arange(1, 7).view({2, 3});
  NamedTensors tensors;
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt,
                           at::kShort, at::kChar, at::kByte, at::kBool, at::kComplexFloat,
                           at::kUInt16, at::kUInt32, at::kUInt64, at::kFloat8_e4m3fn}) {
    tensors.emplace(c10::toString(dtype), values.to(dtype));
  }
  tensors.emplace("scalar", at::scalar_tensor(0.1, at::kDouble));
  tensors.emplace("empty", at::empty({0, 4}));
  write_safetensors(folder / "all", tensors, {{"format", "pt"}, {"who", "größe"}});
  const auto read = read_safetensors(folder / "all");

  EXPECT_EQ(read.metadata, (Metadata{{"format", "pt"}, {"who", "größe"}}));
  ASSERT_EQ(read.tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const auto& other = read.tensors.at(name);
    EXPECT_EQ(other.scalar_type(), tensor.scalar_type()) << name;
    ASSERT_EQ(other.sizes(), tensor.sizes()) << name;
    if (tensor.numel() == 0) continue;  // memcmp needs a pointer
    EXPECT_EQ(std::memcmp(other.const_data_ptr(), tensor.const_data_ptr(), tensor.nbytes()), 0)
        << name;
  }
}

TEST(Safetensors, KeepsNanPayloadAndNegativeZero) {
  const TemporaryFolder folder;
  const auto tensor = at::tensor({0x7fc12345, static_cast<int>(0x80000000)}, at::kInt);
  write_safetensors(folder / "bits", {{"a", tensor.view(at::kFloat)}});
  EXPECT_TRUE(read_safetensors(folder / "bits").tensors.at("a").view(at::kInt).equal(tensor));
}

// With a look at all others for each, this would take longer than a test may.
TEST(Safetensors, HoldsThirtyThousandTensors) {
  const TemporaryFolder folder;
  NamedTensors tensors;
  for (int i = 0; i < 30'000; ++i) tensors.emplace(std::to_string(i), at::full({1}, i, at::kInt));
  write_safetensors(folder / "many", tensors);
  const auto read = read_safetensors(folder / "many").tensors;
  ASSERT_EQ(read.size(), tensors.size());
  EXPECT_EQ(read.at("29999").item<int>(), 29'999);
}

TEST(Safetensors, WritesAViewInItsOwnOrder) {
  const TemporaryFolder folder;
  const auto matrix = at::arange(6, at::kFloat).view({2, 3});
  write_safetensors(folder / "view", {{"a", matrix.t()}, {"b", matrix.slice(1, 1, 2)}});
  const auto read = read_safetensors(folder / "view").tensors;
  EXPECT_TRUE(read.at("a").equal(at::tensor({0, 3, 1, 4, 2, 5}, at::kFloat).view({3, 2})));
  EXPECT_TRUE(read.at("b").equal(at::tensor({1, 4}, at::kFloat).view({2, 1})));
}

TEST(Safetensors, WritesTheBytesOfTheFormat) {
  const TemporaryFolder folder;
  write_safetensors(folder / "file",
                    {{"a", at::tensor({1}, at::kByte)}, {"b", at::tensor({2}, at::kLong)}});
  // By the format's description: length, JSON padded to 8 bytes, the wider dtype first.
  const std::string json = R"({"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                           R"("a":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}      )";
  ASSERT_EQ(json.size() % 8, 0U);
  const std::string length{static_cast<char>(json.size()), 0, 0, 0, 0, 0, 0, 0};
  const std::string data{2, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(read_bytes(folder / "file"), length + json + data);
}

TEST(Safetensors, PadsTheHeaderToEightBytesAndNoMore) {
  const TemporaryFolder folder;
  for (std::size_t length = 1; length <= 8; ++length) {
    write_safetensors(folder / "file", {{std::string(length, 'a'), at::empty({0}, at::kByte)}});
    const std::string header = read_bytes(folder / "file").substr(8);
    EXPECT_EQ(header.size() % 8, 0U) << header;
    EXPECT_LT(header.size() - header.find_last_of('}') - 1, 8U) << header;
  }
}

TEST(Safetensors, TruncatedAnywhereIsADataError) {
  const TemporaryFolder folder;
  write_safetensors(folder / "file", {{"a", at::ones({3})}});
  const auto size_bytes = std::filesystem::file_size(folder / "file");
  for (std::uintmax_t kept_bytes = 0; kept_bytes < size_bytes; ++kept_bytes) {
    std::filesystem::copy_file(folder / "file", folder / "short",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "short", kept_bytes);
    expect_error(ExitCode::kData, "short", [&] { read_safetensors(folder / "short"); });
  }
}

TEST(Safetensors, AHeaderLongerThanTheFileIsADataError) {
  const TemporaryFolder folder;
  const auto file = write_file(folder, "{}", 0);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << std::string(7, '\x7f');
  expect_error(ExitCode::kData, "the header is longer than the safetensors file",
               [&] { read_safetensors(file); });
}

TEST(Safetensors, MissingFileIsADataError) {
  expect_error(ExitCode::kData, "/absent.safetensors: No such file or directory",
               [] { read_safetensors("/absent.safetensors"); });
}

// A folder can be opened, but gives no bytes: as a file whose storage fails.
TEST(Safetensors, FailingStorageIsAnInputError) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_safetensors(folder.path()), files::InputError);
}

TEST(Safetensors, AFailedWriteLeavesTheFileThatWasThere) {
  const TemporaryFolder folder;
  write_safetensors(folder / "file", {{"a", at::ones({3})}});
  const auto before = read_bytes(folder / "file");
  std::filesystem::create_directory(folder / "file.partial");  // in the way
  expect_error(ExitCode::kData, "file.partial",
               [&] { write_safetensors(folder / "file", {{"a", at::zeros({3})}}); });
  EXPECT_EQ(read_bytes(folder / "file"), before);
}

}  // namespace
}  // namespace ganscale::checkpoint
