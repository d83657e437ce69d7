#pragma once

#include <string_view>

#include "planning/model/machine.h"

namespace ganscale::planning {

/// How an all-reduce goes over the links.
enum class Algorithm { kNone, kRing, kTree, kHierarchical };
std::string_view name_of(Algorithm algorithm);

struct AllReduceTime {
  double seconds = 0;
  Algorithm algorithm = Algorithm::kNone;
};

/// Returns the time of an all-reduce of `bytes` by all of n ranks on `nodes` nodes, alpha + bytes *
/// beta per hop, by the fastest of
///
/// - a ring over all ranks: 2 (n - 1) / n of the bytes at the slowest link, 2 (n - 1) hops;
/// - a double binary tree of the nodes, a chain inside each: twice the bytes at the slowest link,
///   2 log2(nodes) hops between nodes;
/// - a ring inside each node around a ring of the nodes: slow links carry the least.
///
/// link_share: what a collective reaches of the nominal bandwidth.
/// Source: Thakur, Rabenseifner & Gropp 2005, doi:10.1177/1094342005051521; Sanders, Speck &
///         Träff 2009, doi:10.1016/j.parco.2009.09.001 (two trees).
AllReduceTime all_reduce_time(double bytes, int gpus, const Machine& machine, double link_share);

}  // namespace ganscale::planning
