#include "planning/model/machine.h"

#include "cost/device_table.h"
#include "support/expect_error.h"

namespace ganscale::planning {
namespace {

Machine parse_lab(const std::string& yaml) {
  return parse_machine(config::Section(config::parse_yaml(yaml, "lab.yaml")));
}

TEST(Machine, CountsItsNodes) {
  const Machine& machine = machine_of_name("dgx-a100");
  EXPECT_EQ(machine.nodes_of(1), 1);
  EXPECT_EQ(machine.nodes_of(5), 1);
  EXPECT_EQ(machine.nodes_of(16), 2);
  EXPECT_EQ(machine.nodes_of(12), 0);
  EXPECT_EQ(machine.nodes_of(0), 0);
  EXPECT_EQ(machine.bytes_per_second_of_node(), 200e9);
}

TEST(Machine, OfTheTableHasAKnownDevice) {
  for (const Machine& machine : machines()) {
    EXPECT_NO_THROW(cost::device_of_name(machine.device)) << machine.name;
  }
}

TEST(Machine, OfNoTableIsRead) {
  const Machine machine = parse_lab(
      "name: lab\ndevice: H100\ngpus_per_node: 4\ninside: PCIe5\nbetween: Ethernet25\nports: 2\n");
  EXPECT_EQ(machine.name, "lab");
  EXPECT_EQ(machine.device, "H100");
  EXPECT_EQ(machine.inside.bytes_per_second, 64e9);
  EXPECT_EQ(machine.bytes_per_second_of_node(), 6.25e9);
}

TEST(Machine, IsRefusedByKeyAndLine) {
  expect_error(ExitCode::kConfig, "lab.yaml:2: between: expected one of",
               [] { parse_lab("device: A100\nbetween: string\n"); });
  expect_error(ExitCode::kConfig, "lab.yaml:1: ports: must be at least 1",
               [] { parse_lab("ports: 0\n"); });
  expect_error(ExitCode::kConfig, "lab.yaml:1: gpus_per_node: must be at most 65536",
               [] { parse_lab("gpus_per_node: 2000000000\n"); });
  expect_error(ExitCode::kConfig, "lab.yaml:1: unknown key: port (did you mean ports?)",
               [] { parse_lab("port: 4\n"); });
  expect_error(ExitCode::kUsage, "no such machine: abacus (known: dgx-1, ",
               [] { machine_of_name("abacus"); });
}

}  // namespace
}  // namespace ganscale::planning
