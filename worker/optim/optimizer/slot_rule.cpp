#include "optim/optimizer/slot_rule.h"

namespace ganscale::optim {
namespace {

class SlotRule final : public SlotOptimizer {
 public:
  SlotRule(NamedTensors parameters, std::vector<std::string> slot_names,
           std::function<void(SlotUpdate&)> rule)
      : SlotOptimizer(std::move(parameters), std::move(slot_names), StepLocation::kHost),
        rule_(std::move(rule)) {}

 private:
  void update_parameters(SlotUpdate& update) override { rule_(update); }

  std::function<void(SlotUpdate&)> rule_;
};

}  // namespace

std::unique_ptr<Optimizer> make_slot_optimizer(NamedTensors parameters,
                                               std::vector<std::string> slot_names,
                                               std::function<void(SlotUpdate&)> rule) {
  return std::make_unique<SlotRule>(std::move(parameters), std::move(slot_names), std::move(rule));
}

}  // namespace ganscale::optim
