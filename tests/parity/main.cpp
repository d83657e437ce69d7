// ganscale-parity FILE...: compares our code with tensors saved by reference implementations.
#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"
#include "parity/check_fixture.h"

namespace {

using ganscale::ExitCode;

constexpr int kOverTolerance = 1;

// Goes on after a fixture that can't be checked; the first such error decides the exit code, unless
// a fixture is over its tolerance.
int check_all(const std::vector<std::string>& files) {
  bool over_tolerance = false;
  int failure = static_cast<int>(ExitCode::kOk);
  for (const auto& file : files) {
    try {
      over_tolerance |= !ganscale::parity::check_fixture(file, std::cout);
    } catch (const ganscale::Error& error) {
      std::cerr << "ganscale-parity: " << error.what() << "\n";
      if (failure == 0) failure = static_cast<int>(error.code());
    } catch (const std::exception& error) {  // LibTorch's: tensors that do not fit together
      std::cerr << "ganscale-parity: " << file << ": " << error.what() << "\n";
      if (failure == 0) failure = static_cast<int>(ExitCode::kBug);
    }
  }
  return over_tolerance ? kOverTolerance : failure;
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app{
      "Runs our code on the inputs stored in reference fixtures, in float64 and float32, and "
      "prints "
      "the\nlargest errors of each group. Exit code 1: one is over its tolerance; 65: no fixture; "
      "78: not supported."};
  std::vector<std::string> files;
  app.add_option("file", files, "fixtures (safetensors)")->required();
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  return check_all(files);
}
