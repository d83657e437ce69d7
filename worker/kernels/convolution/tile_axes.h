#pragma once

#include <cstdint>

#include "kernels/convolution/vectors.h"

/// How the methods of tiles.h transform numbers along an axis: the pixels of a patch and the taps
/// of a kernel to positions, and the numbers at the positions of a tile to its results. For
/// gradients, the last two are transposed.
namespace ganscale::kernels::tiles {

/// The matrices B^T, G and A^T of the paper.
struct Winograd {
  static constexpr std::int64_t kPatchStride = 2;
  static constexpr std::int64_t kPatch = 4;
  static constexpr std::int64_t kPositions = 4;
  static constexpr std::int64_t kTilePositions = 4;
  static constexpr std::int64_t kResults = 2;

  struct Patch {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&x)[4], Value (&to)[4]) {
      to[0] = x[0] - x[2];
      to[1] = x[1] + x[2];
      to[2] = x[2] - x[1];
      to[3] = x[1] - x[3];
    }
  };

  struct Kernel {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&taps)[3], Value (&to)[4]) {
      const Value ends = (taps[0] + taps[2]) * 0.5F;
      const Value middle = taps[1] * 0.5F;
      to[0] = taps[0];
      to[1] = ends + middle;
      to[2] = ends - middle;
      to[3] = taps[2];
    }
  };

  struct KernelTransposed {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&from)[4], Value (&taps)[3]) {
      const Value ends = (from[1] + from[2]) * 0.5F;
      taps[0] = from[0] + ends;
      taps[1] = (from[1] - from[2]) * 0.5F;
      taps[2] = ends + from[3];
    }
  };

  struct Tile {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&from)[4], Value (&y)[2]) {
      y[0] = from[0] + from[1] + from[2];
      y[1] = from[1] - from[2] - from[3];
    }
  };

  struct TileTransposed {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&y)[2], Value (&to)[4]) {
      to[0] = y[0];
      to[1] = y[0] + y[1];
      to[2] = y[0] - y[1];
      to[3] = -y[1];
    }
  };
};

/// A pixel's two results see it and one neighbor, by one and by two taps: with s the sum of the
/// three taps, y0 = w0 (x0 - x1) + s x1 and y1 = s x1 + w2 (x2 - x1).
struct Doubled {
  static constexpr std::int64_t kPatchStride = 1;
  static constexpr std::int64_t kPatch = 3;
  static constexpr std::int64_t kPositions = 3;
  static constexpr std::int64_t kTilePositions = 3;
  static constexpr std::int64_t kResults = 2;

  struct Patch {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&x)[3], Value (&to)[3]) {
      to[0] = x[0] - x[1];
      to[1] = x[1];
      to[2] = x[2] - x[1];
    }
  };

  struct Kernel {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&taps)[3], Value (&to)[3]) {
      to[0] = taps[0];
      to[1] = taps[0] + taps[1] + taps[2];
      to[2] = taps[2];
    }
  };

  struct KernelTransposed {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&from)[3], Value (&taps)[3]) {
      taps[0] = from[0] + from[1];
      taps[1] = from[1];
      taps[2] = from[1] + from[2];
    }
  };

  struct Tile {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&from)[3], Value (&y)[2]) {
      y[0] = from[0] + from[1];
      y[1] = from[1] + from[2];
    }
  };

  struct TileTransposed {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&y)[2], Value (&to)[3]) {
      to[0] = y[0];
      to[1] = y[0] + y[1];
      to[2] = y[1];
    }
  };
};

/// The sum of two results is w0 (x0 - x2) + s (x1 + x2) + w2 (x3 - x1), with s as above.
struct Summed {
  static constexpr std::int64_t kPatchStride = 2;
  static constexpr std::int64_t kPatch = 4;
  static constexpr std::int64_t kPositions = 3;
  static constexpr std::int64_t kTilePositions = 1;
  static constexpr std::int64_t kResults = 1;

  struct Patch {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&x)[4], Value (&to)[3]) {
      to[0] = x[0] - x[2];
      to[1] = x[1] + x[2];
      to[2] = x[3] - x[1];
    }
  };

  using Kernel = Doubled::Kernel;
  using KernelTransposed = Doubled::KernelTransposed;

  struct Tile {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&from)[1], Value (&y)[1]) {
      y[0] = from[0];
    }
  };

  struct TileTransposed {
    template <class Value>
    static GANSCALE_INLINE void apply(const Value (&y)[1], Value (&to)[1]) {
      to[0] = y[0];
    }
  };
};

}  // namespace ganscale::kernels::tiles
