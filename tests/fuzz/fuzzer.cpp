#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzz/target.h"

// What libFuzzer calls. The environment variable FUZZ names the target.
namespace {

using ganscale::fuzz::Target;

const Target* chosen = nullptr;

[[noreturn]] void refuse_name() {
  std::fputs("Set FUZZ to one of:\n", stderr);
  for (const Target& target : ganscale::fuzz::targets())
    std::fprintf(stderr, "  %s\n", target.name.data());
  std::exit(64);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argument_count*/, char*** /*arguments*/) {
  const char* name = std::getenv("FUZZ");
  const auto all = ganscale::fuzz::targets();
  const auto found = std::ranges::find(all, name == nullptr ? "" : name, &Target::name);
  if (found == all.end()) refuse_name();
  chosen = &*found;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  chosen->run({bytes, count});
  return 0;
}
