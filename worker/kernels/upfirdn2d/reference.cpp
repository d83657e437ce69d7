#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/upfirdn2d/fill.h"

// Skips multiplications by inserted zeros. All inner loops run over contiguous memory: the values
// of a pixel if it has several; otherwise outputs of an axis that are `out_step` apart, which use
// the same taps, and inputs `in_step` apart.
namespace ganscale::kernels {
namespace {

/// One axis of the operation.
struct Axis {
  std::int64_t up = 1;
  std::int64_t down = 1;
  std::int64_t pad_before = 0;
  std::int64_t length = 0;
  std::int64_t out_length = 0;
  std::int64_t tap_count = 0;

  std::int64_t out_step() const { return up / std::gcd(up, down); }
  std::int64_t in_step() const { return down / std::gcd(up, down); }
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// A filter as a sum of products column[y] * row[x], in the order of correlation: one product if it
/// is separable, otherwise one per row.
template <class T>
struct Term {
  std::vector<T> column;
  std::vector<T> row;
};

/// Returns the filter's only term, or one with an empty row if it has more.
template <class T>
Term<T> single_term(std::span<const T> filter, std::size_t height, std::size_t width) {
  const auto larger = [](T a, T b) { return std::abs(a) < std::abs(b); };
  const auto pivot =
      static_cast<std::size_t>(std::ranges::max_element(filter, larger) - filter.begin());
  Term<T> term;
  term.column.resize(height);
  if (filter[pivot] == 0) return term;
  const std::size_t pivot_x = pivot % width;
  const std::size_t pivot_row = pivot - pivot_x;
  const T tolerance = 4 * std::numeric_limits<T>::epsilon() * std::abs(filter[pivot]);
  for (std::size_t y = 0; y < height; ++y) {
    term.column[y] = filter[y * width + pivot_x] / filter[pivot];
    for (std::size_t x = 0; x < width; ++x) {
      const T product = term.column[y] * filter[pivot_row + x];
      if (std::abs(product - filter[y * width + x]) > tolerance) return term;
    }
  }
  const auto row = filter.subspan(pivot_row, width);
  term.row.assign(row.begin(), row.end());
  return term;
}

template <class T>
std::vector<Term<T>> terms_of(const T* filter, const UpfirdnShape& shape) {
  const auto height = static_cast<std::size_t>(shape.filter.height);
  const auto width = static_cast<std::size_t>(shape.filter.width);
  std::vector<T> taps(filter, filter + height * width);
  if (!shape.options.flip_filter) std::ranges::reverse(taps);
  for (T& tap : taps) tap *= static_cast<T>(shape.options.gain);
  Term<T> only = single_term(std::span<const T>(taps), height, width);
  if (!only.row.empty()) return {std::move(only)};
  std::vector<Term<T>> terms(height);
  for (std::size_t y = 0; y < height; ++y) {
    terms[y].column.resize(height);
    terms[y].column[y] = 1;
    terms[y].row.assign(taps.begin() + y * width, taps.begin() + (y + 1) * width);
  }
  return terms;
}

/// A weighted input of a sum: its first element and its weight.
template <class T>
struct Weighted {
  const T* source;
  T weight;
};

/// Writes, or adds to out, the sum of kCount sources.
template <std::size_t kCount, bool kAdd, class T>
void sum_of(const Weighted<T>* sources, T* __restrict__ out, std::int64_t count) {
  std::array<Weighted<T>, kCount> of;
  std::copy_n(sources, kCount, of.begin());
  for (std::int64_t i = 0; i < count; ++i) {
    T sum = kAdd ? out[i] : T(0);
    for (std::size_t k = 0; k < kCount; ++k) sum += of[k].weight * of[k].source[i];
    out[i] = sum;
  }
}

template <bool kAdd, class T>
void sum_of_at_most_four(std::span<const Weighted<T>> sources, T* out, std::int64_t count) {
  constexpr std::array kSums = {sum_of<1, kAdd, T>, sum_of<2, kAdd, T>, sum_of<3, kAdd, T>,
                                sum_of<4, kAdd, T>};
  kSums[sources.size() - 1](sources.data(), out, count);
}

/// Writes, or adds to out, the sum of all sources; four at a time, which saves most of the memory
/// traffic to out.
template <class T>
void weighted_sum(std::span<const Weighted<T>> sources, bool add, T* out, std::int64_t count) {
  if (!add && sources.empty()) std::fill_n(out, count, T(0));
  while (!sources.empty()) {
    const auto some = sources.first(std::min<std::size_t>(4, sources.size()));
    if (add) {
      sum_of_at_most_four<true>(some, out, count);
    } else {
      sum_of_at_most_four<false>(some, out, count);
    }
    add = true;
    sources = sources.subspan(some.size());
  }
}

/// An input that contributes to an output of an axis, and its tap.
struct Contribution {
  std::int64_t input;
  std::size_t tap;
};

/// For each output of an axis.
using Contributions = std::vector<std::vector<Contribution>>;

/// Returns the inputs that contribute to each output of an axis, without inserted and padded zeros.
Contributions contributions_of(const Axis& axis) {
  Contributions contributions(axis.out_length);
  for (std::int64_t out = 0; out < axis.out_length; ++out) {
    for (std::int64_t tap = 0; tap < axis.tap_count; ++tap) {
      const std::int64_t position = out * axis.down + tap - axis.pad_before;
      const std::int64_t input = position / axis.up;
      if (position < 0 || position % axis.up != 0 || input >= axis.length) continue;
      contributions[out].push_back({input, static_cast<std::size_t>(tap)});
    }
  }
  return contributions;
}

/// Replaces `sources` by the sources of one output, of inputs `length` values apart.
template <class T>
void find_sources(const std::vector<Contribution>& met, const std::vector<T>& taps, const T* inputs,
                  std::int64_t length, std::vector<Weighted<T>>& sources) {
  sources.clear();
  for (const Contribution& one : met) {
    if (taps[one.tap] != 0) sources.push_back({inputs + one.input * length, taps[one.tap]});
  }
}

/// Filters rows along x. A row is first split into `in_step` buffers with zero padding, so that
/// sums run over whole buffers; the outputs are then interleaved.
template <class T>
class RowFilter {
 public:
  explicit RowFilter(const Axis& axis) : axis_(axis) {
    const std::int64_t longest = (axis.out_length - 1) / axis.out_step() + 1;
    first_ = floor_divide(first_input(0, 0), axis.in_step());
    const std::int64_t last =
        floor_divide(first_input(axis.out_step() - 1, axis.tap_count - 1), axis.in_step());
    dealt_length_ = last - first_ + longest + 1;
    dealt_.assign(dealt_length_ * axis.in_step(), T(0));
    phase_.resize(longest);
  }

  /// Writes, or adds to out, the row under a term's taps.
  void run(const T* row, const std::vector<T>& taps, bool add, T* out) {
    deal(row);
    const std::int64_t out_step = axis_.out_step();
    for (std::int64_t phase = 0; phase < std::min(out_step, axis_.out_length); ++phase) {
      const std::int64_t count = (axis_.out_length - 1 - phase) / out_step + 1;
      find_sources(phase, taps);
      if (out_step == 1) {
        weighted_sum<T>(sources_, add, out, count);
        continue;
      }
      weighted_sum<T>(sources_, /*add=*/false, phase_.data(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        T& target = out[phase + i * out_step];
        target = phase_[i] + (add ? target : T(0));
      }
    }
  }

 private:
  /// Returns the input at `tap` of output `phase`, rounded down.
  std::int64_t first_input(std::int64_t phase, std::int64_t tap) const {
    return floor_divide(phase * axis_.down + tap - axis_.pad_before, axis_.up);
  }

  void deal(const T* row) {
    const std::int64_t step = axis_.in_step();
    for (std::int64_t residue = 0; residue < step; ++residue) {
      T* buffer = dealt_.data() + residue * dealt_length_;
      // Element i of the buffer is input (first_ + i) * step + residue.
      const std::int64_t begin = std::max<std::int64_t>(0, -first_);
      const std::int64_t end =
          std::min(dealt_length_, floor_divide(axis_.length - 1 - residue, step) + 1 - first_);
      for (std::int64_t i = begin; i < end; ++i) buffer[i] = row[(first_ + i) * step + residue];
    }
  }

  void find_sources(std::int64_t phase, const std::vector<T>& taps) {
    sources_.clear();
    const std::int64_t step = axis_.in_step();
    for (std::int64_t tap = 0; tap < axis_.tap_count; ++tap) {
      if ((phase * axis_.down + tap - axis_.pad_before) % axis_.up != 0) continue;
      const std::int64_t input = first_input(phase, tap);
      const std::int64_t group = floor_divide(input, step);
      const std::int64_t residue = input - group * step;
      sources_.push_back({dealt_.data() + residue * dealt_length_ + (group - first_), taps[tap]});
    }
  }

  Axis axis_;
  std::int64_t first_ = 0;
  std::int64_t dealt_length_ = 0;
  std::vector<T> dealt_;
  std::vector<T> phase_;
  std::vector<Weighted<T>> sources_;
};

/// Filters rows along x with several values per pixel, adding whole pixels.
template <class T>
class PixelRowFilter {
 public:
  PixelRowFilter(const Contributions& across, std::int64_t pixel_values)
      : contributions_(across), pixel_values_(pixel_values) {}

  /// As RowFilter::run().
  void run(const T* row, const std::vector<T>& taps, bool add, T* out) {
    for (const auto& met : contributions_) {
      find_sources(met, taps, row, pixel_values_, sources_);
      weighted_sum<T>(sources_, add, out, pixel_values_);
      out += pixel_values_;
    }
  }

 private:
  const Contributions& contributions_;
  std::int64_t pixel_values_;
  std::vector<Weighted<T>> sources_;
};

/// Computes output rows from the few input rows that contribute to each.
template <class T, class RowsFilter>
class PlaneFilter {
 public:
  PlaneFilter(const Contributions& y, const std::vector<Term<T>>& terms, RowsFilter rows,
              std::int64_t row_values, std::int64_t out_row_values)
      : contributions_(y),
        terms_(terms),
        rows_(std::move(rows)),
        row_values_(row_values),
        out_row_values_(out_row_values),
        sum_(row_values) {}

  /// Writes, or adds to out, row y of the result for `plane`.
  void run(const T* plane, std::int64_t y, bool add, T* out) {
    for (const Term<T>& term : terms_) {
      find_sources(contributions_[y], term.column, plane, row_values_, sources_);
      if (sources_.empty()) continue;
      weighted_sum<T>(sources_, /*add=*/false, sum_.data(), row_values_);
      rows_.run(sum_.data(), term.row, add, out);
      add = true;
    }
    if (!add) std::fill_n(out, out_row_values_, T(0));
  }

 private:
  const Contributions& contributions_;
  const std::vector<Term<T>>& terms_;
  RowsFilter rows_;
  std::int64_t row_values_;
  std::int64_t out_row_values_;
  std::vector<T> sum_;
  std::vector<Weighted<T>> sources_;
};

}  // namespace

template <class T>
void upfirdn2d_reference(const T* x, const T* filter, T* out, const UpfirdnShape& shape,
                         const T* addend) {
  const auto terms = terms_of(filter, shape);
  const Axis y{.up = shape.options.up_y,
               .down = shape.options.down_y,
               .pad_before = shape.options.pad_top,
               .length = shape.in.height,
               .out_length = shape.out.height,
               .tap_count = shape.filter.height};
  const Axis across{.up = shape.options.up_x,
                    .down = shape.options.down_x,
                    .pad_before = shape.options.pad_left,
                    .length = shape.in.width,
                    .out_length = shape.out.width,
                    .tap_count = shape.filter.width};
  const std::int64_t row_values = shape.in.width * shape.pixel_values;
  const std::int64_t out_row_values = shape.out.width * shape.pixel_values;
  const Contributions met_along_y = contributions_of(y);
  const Contributions met_along_x =
      shape.pixel_values == 1 ? Contributions{} : contributions_of(across);
  const auto run_rows = [&](auto rows, std::int64_t begin, std::int64_t end) {
    PlaneFilter<T, decltype(rows)> planes(met_along_y, terms, std::move(rows), row_values,
                                          out_row_values);
    for (std::int64_t i = begin; i < end; ++i) {
      const T* plane = x + i / shape.out.height * shape.in.height * row_values;
      T* const row = out + i * out_row_values;
      if (addend != nullptr) std::copy_n(addend + i * out_row_values, out_row_values, row);
      planes.run(plane, i % shape.out.height, /*add=*/addend != nullptr, row);
    }
  };
  constexpr std::int64_t kGrainValues = 1 << 14;
  const std::int64_t grain = kGrainValues / (row_values + out_row_values) + 1;
  at::parallel_for(0, shape.plane_count * shape.out.height, grain,
                   [&](std::int64_t begin, std::int64_t end) {
                     if (shape.pixel_values == 1) return run_rows(RowFilter<T>(across), begin, end);
                     run_rows(PixelRowFilter<T>(met_along_x, shape.pixel_values), begin, end);
                   });
}

template void upfirdn2d_reference(const float*, const float*, float*, const UpfirdnShape&,
                                  const float*);
template void upfirdn2d_reference(const double*, const double*, double*, const UpfirdnShape&,
                                  const double*);

}  // namespace ganscale::kernels
