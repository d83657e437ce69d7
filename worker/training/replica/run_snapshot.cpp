#include "training/replica/run_snapshot.h"

#include <cmath>

#include "base/error.h"
#include "training/replica/run_state.h"

namespace ganscale::training {
namespace {

template <class T>
void require_same(const std::string& what, const T& in_checkpoint, const T& now) {
  if (in_checkpoint == now) return;
  const nlohmann::ordered_json before = in_checkpoint;
  const nlohmann::ordered_json after = now;
  throw ConfigError("the run folder contains a run with a different " + what +
                    "; choose a new folder with --run: " + before.dump() + ", now " + after.dump());
}

}  // namespace

checkpoint::Snapshot make_snapshot(std::map<std::string, NamedTensors> state, const RunFacts& facts,
                                   const Progress& progress) {
  checkpoint::Snapshot snapshot;
  snapshot.images_seen = progress.images_seen;
  snapshot.files = std::move(state);
  snapshot.state = to_state(facts, progress);
  return snapshot;
}

std::string first_nonfinite(const checkpoint::Snapshot& snapshot) {
  for (const auto& [file, tensors] : snapshot.files) {
    for (const auto& [name, tensor] : tensors) {
      // A sum in double is NaN or infinite if one of its float terms is.
      const bool finite = !tensor.is_floating_point() ||
                          std::isfinite(tensor.detach().sum(at::kDouble).item<double>());
      if (!finite) return file + ": " + name;
    }
  }
  return "";
}

RunFacts facts_of(const checkpoint::Snapshot& snapshot) { return facts_in(snapshot.state); }

void require_same_name(std::int64_t label, const std::string& before, const std::string& now) {
  if (before.empty() || now.empty()) return;
  require_same("name of label " + std::to_string(label), before, now);
}

Progress restore(Replica& replica, const RunFacts& facts, const checkpoint::Snapshot& snapshot) {
  const RunFacts before = facts_of(snapshot);
  require_same("model", before.model, facts.model);
  require_same("number of records", before.record_count, facts.record_count);
  require_same("number of labels", before.label_count, facts.label_count);
  require_same("number of channels", before.channels, facts.channels);
  if (const auto label = first_renamed_label(before.label_names, facts.label_names)) {
    require_same_name(static_cast<std::int64_t>(*label), before.label_names[*label],
                      facts.label_names[*label]);
  }
  replica.restore(snapshot);
  return progress_in(snapshot.state);
}

}  // namespace ganscale::training
