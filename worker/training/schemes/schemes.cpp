#include "training/schemes/schemes.h"

#include "training/schemes/asynchronous/asynchronous.h"
#include "training/schemes/per_label/per_label.h"
#include "training/schemes/synchronous/train_run.h"

namespace ganscale::training {

SchemeTable schemes() {
  static const std::vector<SchemeLine> table = {
      synchronous_scheme(),
      asynchronous_scheme(),
      per_label_scheme(),
  };
  return table;
}

}  // namespace ganscale::training
