#include "base/thread_rank.h"

namespace ganscale {
namespace {

thread_local std::optional<int> rank_of_this_thread;

}  // namespace

ThreadRank::ThreadRank(int rank) { rank_of_this_thread = rank; }

ThreadRank::~ThreadRank() { rank_of_this_thread.reset(); }

std::optional<int> thread_rank() { return rank_of_this_thread; }

}  // namespace ganscale
