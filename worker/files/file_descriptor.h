#pragma once

#include <unistd.h>

#include "files/handle.h"

namespace ganscale {

struct FileDescriptorTraits {
  using Raw = int;
  static Raw null() noexcept { return -1; }
  static void close(Raw descriptor) noexcept { ::close(descriptor); }
};

/// An open file or folder.
using FileDescriptor = Handle<FileDescriptorTraits>;

}  // namespace ganscale
