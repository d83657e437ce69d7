#pragma once

#include <nlohmann/json.hpp>

#include "training/run/progress.h"
#include "training/run/run_facts.h"

/// What a checkpoint's manifest has of a run: Snapshot::state.
namespace ganscale::training {

/// Returns the state that stands for these facts and this progress.
nlohmann::ordered_json to_state(const RunFacts& facts, const Progress& progress);

/// Return the facts and the progress in a state. Throw DataError with the key if they are missing
/// or impossible.
RunFacts facts_in(const nlohmann::ordered_json& state);
Progress progress_in(const nlohmann::ordered_json& state);

}  // namespace ganscale::training
