#include "training/loop/agreement.h"

#include "comm/collectives/numbers.h"

namespace ganscale::training {

Orders agree(comm::Group& group, const Orders& requests) {
  Orders of_all = requests;
  comm::all_reduce_max(group, {&of_all.stop, &of_all.finish, &of_all.spent, &of_all.checkpoint,
                               &of_all.pause, &of_all.fail});
  return of_all;
}

}  // namespace ganscale::training
