// ganscale-parity FILE...: compares our code with tensors saved by reference implementations.
#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"
#include "parity/check_fixture.h"

namespace {

using ganscale::ExitCode;

constexpr int kOverTolerance = 1;

// Continues after a fixture that cannot be checked; the first such error decides the exit code,
// unless a fixture is over its tolerance.
int check_all(const std::vector<std::string>& files,
              const std::vector<ganscale::parity::Arithmetic>& arithmetics) {
  bool over_tolerance = false;
  int failure = static_cast<int>(ExitCode::kOk);
  for (const auto& file : files) {
    try {
      over_tolerance |= !ganscale::parity::check_fixture(file, std::cout, arithmetics);
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
      "Runs our code on the inputs stored in reference fixtures and prints the largest errors of "
      "each group.\nExit code 1: one is over its tolerance; 65: no fixture; 78: not supported."};
  std::vector<std::string> files;
  std::vector<std::string> precisions = {"fp64", "fp32"};
  std::string device = "cpu";
  app.add_option("file", files, "fixtures (safetensors)")->required();
  app.add_option("--precision", precisions, "fp64, fp32, tf32 (of a GPU), bf16, fp16")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--device", device, "where to compute")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  try {
    app.parse(argument_count, arguments);
    return check_all(files, ganscale::parity::arithmetics_of(precisions, device == "gpu"));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  } catch (const ganscale::Error& error) {
    std::cerr << "ganscale-parity: " << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
