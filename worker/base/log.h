#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

/// Logging: a constant message, then pairs, never values inside the text.
///
///   log::info("Wrote checkpoint", {{"bytes", size_bytes}, {"seconds", 3.1}});
///
/// Text on standard error for people, or JSON lines; optionally also JSON lines into a file.
namespace ganscale::log {

enum class Level { kInfo, kWarning, kError };
enum class Format { kText, kJson };

/// A value of a pair; converts implicitly from strings, numbers, bools and paths.
class Value {
 public:
  Value(const char* text) : value_(std::string(text)) {}               // NOLINT: implicit by design
  Value(std::string text) : value_(std::move(text)) {}                 // NOLINT
  Value(std::string_view text) : value_(std::string(text)) {}          // NOLINT
  Value(const std::filesystem::path& path) : value_(path.string()) {}  // NOLINT
  Value(bool flag) : value_(flag) {}                                   // NOLINT
  Value(double number) : value_(number) {}                             // NOLINT
  template <class Integer>
    requires std::is_integral_v<Integer>
  Value(Integer number) : value_(static_cast<long long>(number)) {}  // NOLINT

  const auto& get() const { return value_; }

 private:
  std::variant<std::string, bool, double, long long> value_;
};

using Pairs = std::initializer_list<std::pair<std::string_view, Value>>;

/// Sets the log format of this process.
void set_format(Format format);
/// Sets the rank of this process. Only rank 0 prints kInfo; other ranks write it to the file only.
void set_rank(int rank);
/// Also appends every line as JSON to `file`. An empty path stops that.
void set_file(const std::filesystem::path& file);

void info(std::string_view message, Pairs pairs = {});
void warning(std::string_view message, Pairs pairs = {});
void error(std::string_view message, Pairs pairs = {});

}  // namespace ganscale::log
