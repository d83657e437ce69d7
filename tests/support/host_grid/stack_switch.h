#pragma once

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include <cstddef>

// Tells AddressSanitizer that a thread of the host changes its stack; does nothing in other
// builds.
namespace ganscale::host_grid {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

struct Stack {
  const void* bottom = nullptr;
  std::size_t size_bytes = 0;
};

/// Says that the thread is about to leave its stack for `next`. Returns what enter_stack() takes
/// when it comes back.
inline void* leave_stack([[maybe_unused]] const Stack& next) {
  void* left = nullptr;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&left, next.bottom, next.size_bytes);
#endif
  return left;
}

/// Says that the thread is on a stack that it had left, or on a new one, where `left` is null. Returns
/// the stack that it comes from.
inline Stack enter_stack([[maybe_unused]] void* left) {
  Stack from;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(left, &from.bottom, &from.size_bytes);
#endif
  return from;
}

}  // namespace ganscale::host_grid
