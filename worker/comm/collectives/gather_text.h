#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "comm/group/group.h"

namespace ganscale::comm {

/// Returns the texts of all ranks, in the order of the ranks. Each may be of another length and
/// contain any bytes. Every rank calls it.
std::vector<std::string> gather_text(Group& group, std::string_view own);

/// Returns the text of rank 0, as above.
std::string text_of_rank_0(Group& group, std::string_view own);

}  // namespace ganscale::comm
