#include "cli/options/fabric_options.h"

#include <CLI/CLI.hpp>

#include "wire/names.h"

namespace ganscale::cli {

void add_fabric_options(CLI::App& verb, comm::FabricRequirements& required) {
  verb.add_option("--floor", required.floor_gigabytes_per_second,
                  "Least bus bandwidth of the preflight's all-reduce, in GB/s; 0: any")
      ->type_name("GB/S")
      ->envname(wire::environment::kPreflightFloor)
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--hcas", required.hcas,
                  "Number of InfiniBand HCAs with an active port that each node must have; 0: any")
      ->type_name("N")
      ->envname(wire::environment::kPreflightHcas)
      ->check(CLI::NonNegativeNumber);
}

}  // namespace ganscale::cli
