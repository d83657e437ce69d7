#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

/// What fuzzing runs: a function per parser of bytes that others wrote.
namespace ganscale::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string_view name;
  /// Parses an input and throws only where a parser does what its contract rules out.
  void (*run)(Bytes input);
};

/// All targets, in the order of their names.
std::span<const Target> targets();

inline std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// Runs a parser, which may refuse its input: with a message, and never as a bug.
template <class Parse>
void take_or_refuse(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kBug) throw;
    check(!std::string_view(error.what()).empty(), "a parser refused its input without a message");
  }
}

/// Runs a parser as take_or_refuse(), whose messages begin with where the input came from.
template <class Parse>
void take_or_refuse_at(std::string_view origin, const Parse& parse) {
  take_or_refuse([&] {
    try {
      parse();
    } catch (const ConfigError& error) {
      check(std::string_view(error.what()).starts_with(origin),
            std::string("a refusal does not say where: ") + error.what());
      throw;
    }
  });
}

}  // namespace ganscale::fuzz
