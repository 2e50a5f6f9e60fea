// Fourier transforms that the host does in numpy's place: all lines of a call at once, or none.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rankine {

// A dimension, with its strides in the input and in the output, as FFTW's iodim.
struct Axis {
    int n, is, os;
};

enum class Kind { complex, from_real, to_real };

#define RANKINE_HOST(name) __attribute__((import_module("rankine_math"), import_name(name)))
extern "C" {
RANKINE_HOST("dft_z2z") int rankine_dft_z2z(int, const Axis *, int, const Axis *, void *, void *, int);
RANKINE_HOST("dft_d2z") int rankine_dft_d2z(int, const Axis *, int, const Axis *, void *, void *);
RANKINE_HOST("dft_z2d") int rankine_dft_z2d(int, const Axis *, int, const Axis *, void *, void *);
RANKINE_HOST("dft_c2c") int rankine_dft_c2c(int, const Axis *, int, const Axis *, void *, void *, int);
RANKINE_HOST("dft_s2c") int rankine_dft_s2c(int, const Axis *, int, const Axis *, void *, void *);
RANKINE_HOST("dft_c2s") int rankine_dft_c2s(int, const Axis *, int, const Axis *, void *, void *);
}

// A stride in elements, if it is one.
inline bool elements(ptrdiff_t bytes, ptrdiff_t size, int &stride)
{
    stride = static_cast<int>(bytes / size);
    return bytes % size == 0;
}

// What lies between the first and the last byte of lines.
inline void extent(const char *at, ptrdiff_t outer, ptrdiff_t lines, ptrdiff_t inner, ptrdiff_t step, ptrdiff_t size, intptr_t &from, intptr_t &to)
{
    ptrdiff_t a = (outer - 1) * lines, b = (inner - 1) * step;
    from = reinterpret_cast<intptr_t>(at) + (a < 0 ? a : 0) + (b < 0 ? b : 0);
    to = reinterpret_cast<intptr_t>(at) + (a > 0 ? a : 0) + (b > 0 ? b : 0) + size;
}

// The arguments are those of a loop of numpy's; `points` are the numbers of a line before its transform or after it, whichever is real.
template <typename T>
bool fft(Kind kind, char **args, const ptrdiff_t *dimensions, const ptrdiff_t *steps, size_t points, bool forward)
{
    if constexpr (!std::is_same_v<T, double> && !std::is_same_v<T, float>) {
        return false;
    } else {
        const bool is_double = std::is_same_v<T, double>;
        const ptrdiff_t real = sizeof(T), in = kind == Kind::from_real ? real : 2 * real, out = kind == Kind::to_real ? real : 2 * real;
        const ptrdiff_t n = static_cast<ptrdiff_t>(points), half = n / 2 + 1, outer = dimensions[0];
        const ptrdiff_t read = kind == Kind::to_real ? half : n, written = kind == Kind::from_real ? half : n;
        // A call costs more than a short line, and each line may have a factor of its own.
        if (outer < 1 || n < 2 || outer * n < 32 || dimensions[1] < read || (outer > 1 && steps[1] != 0))
            return false;
        Axis line{static_cast<int>(n), 0, 0}, many{static_cast<int>(outer), 0, 0};
        if (!elements(steps[3], in, line.is) || !elements(steps[4], out, line.os) || !elements(steps[0], in, many.is) || !elements(steps[2], out, many.os))
            return false;
        intptr_t from, to, other_from, other_to;
        extent(args[0], outer, steps[0], read, steps[3], in, from, to);
        extent(args[2], outer, steps[2], written, steps[4], out, other_from, other_to);
        const bool in_place = kind == Kind::complex && args[0] == args[2] && line.is == line.os && many.is == many.os;
        if (!in_place && from < other_to && other_from < to)
            return false;
        int done;
        if (kind == Kind::complex)
            done = (is_double ? rankine_dft_z2z : rankine_dft_c2c)(1, &line, 1, &many, args[0], args[2], forward ? -1 : 1);
        else if (kind == Kind::from_real)
            done = (is_double ? rankine_dft_d2z : rankine_dft_s2c)(1, &line, 1, &many, args[0], args[2]);
        else
            done = (is_double ? rankine_dft_z2d : rankine_dft_c2s)(1, &line, 1, &many, args[0], args[2]);
        const T factor = *reinterpret_cast<T *>(args[1]);
        if (!done || factor == 1)
            return done;
        for (ptrdiff_t i = 0; i < outer; i++)
            for (ptrdiff_t k = 0; k < written; k++) {
                T *at = reinterpret_cast<T *>(args[2] + i * steps[2] + k * steps[4]);
                at[0] *= factor;
                if (out != real)
                    at[1] *= factor;
            }
        return true;
    }
}

} // namespace rankine
