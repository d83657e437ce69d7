#pragma once

/// Vectors for functions that are compiled for other instructions than the rest of the program.
#ifdef __x86_64__
#define GANSCALE_AVX2 __attribute__((target("avx2,fma")))
#define GANSCALE_AVX512 __attribute__((target("avx512f")))
#else
#define GANSCALE_AVX2
#define GANSCALE_AVX512
#endif
/// The target cannot depend on a template's parameter. What is always inlined has its caller's.
#define GANSCALE_INLINE inline __attribute__((always_inline))

namespace ganscale::kernels {

/// Returns whether this processor has AVX2 and FMA.
inline bool has_avx2() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

/// Returns whether this processor has AVX-512F as well.
inline bool has_avx512() {
#ifdef __x86_64__
  static const bool has = has_avx2() && __builtin_cpu_supports("avx512f");
  return has;
#else
  return false;
#endif
}

/// Vectors of float32 values, 8 with AVX2 and 16 with AVX-512: a Value is aligned, for local
/// variables, and a Vector may have the address of any float. GCC ignores attributes that depend on
/// a template's parameter.
template <int lanes>
struct Lanes;
template <>
struct Lanes<8> {
  using Value = float __attribute__((vector_size(32)));
  using Vector = float __attribute__((vector_size(32), aligned(alignof(float))));
};
template <>
struct Lanes<16> {
  using Value = float __attribute__((vector_size(64)));
  using Vector = float __attribute__((vector_size(64), aligned(alignof(float))));
};

template <int lanes>
GANSCALE_INLINE typename Lanes<lanes>::Vector& vector_at(float* first) {
  return *reinterpret_cast<typename Lanes<lanes>::Vector*>(first);
}

template <int lanes>
GANSCALE_INLINE const typename Lanes<lanes>::Vector& vector_at(const float* first) {
  return *reinterpret_cast<const typename Lanes<lanes>::Vector*>(first);
}

}  // namespace ganscale::kernels
