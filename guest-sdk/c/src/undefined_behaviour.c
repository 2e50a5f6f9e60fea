/* What -fsanitize=undefined calls where a program does what C and C++ leave undefined: it says where and what, once for each
 * place, and the program goes on; with -fno-sanitize-recover, or UBSAN_OPTIONS=halt_on_error=1, it ends there. What clang
 * hands over is laid out as its own runtime has it. */
#include <rankine/weak.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    const char *file;
    uint32_t line, column;
};

struct type {
    uint16_t kind, info;
    /* Quoted. */
    char name[];
};

enum { INTEGER = 0, REAL = 1, BIT_INTEGER = 2 };

/* An operand: the number itself, or its address where it is wider than a word. */
typedef uintptr_t operand;

/* Says what is wrong at a place, unless that was said before. */
__attribute__((format(printf, 2, 3))) static void report(struct place *place, const char *format, ...)
{
    /* As clang's runtime does: a place that was reported has no column any more. */
    uint32_t column = __atomic_exchange_n(&place->column, UINT32_MAX, __ATOMIC_RELAXED);
    if (column == UINT32_MAX)
        return;
    char text[1024];
    const char *file = place->file ? place->file : "<unknown>";
    int used = snprintf(text, sizeof text, "%.500s:%u:%u: runtime error: ", file, place->line, column);
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + used, sizeof text - 1 - used, format, arguments);
    va_end(arguments);
    used = more < (int)sizeof text - 1 - used ? used + more : (int)sizeof text - 2;
    text[used++] = '\n';
    /* In one piece, as other threads and ranks write too. */
    (void)!write(STDERR_FILENO, text, used);
}

static bool ends_the_program(void)
{
    const char *options = getenv("UBSAN_OPTIONS");
    return options && strstr(options, "halt_on_error=1");
}

static unsigned width(const struct type *type)
{
    return type->kind == REAL ? type->info : 1u << (type->info >> 1);
}

static bool is_signed(const struct type *type)
{
    return type->kind != REAL && (type->info & 1);
}

/* The number that an operand is, its sign extended; of wider ones the lower half. */
static int64_t low(const struct type *type, operand value)
{
    unsigned bits = width(type);
    if (bits > 32) {
        int64_t wide;
        memcpy(&wide, (const void *)value, sizeof wide);
        return wide;
    }
    unsigned unused = 64 - bits;
    return is_signed(type) ? (int64_t)((uint64_t)value << unused) >> unused : (int64_t)((uint64_t)value << unused >> unused);
}

static bool is_negative(const struct type *type, operand value)
{
    if (!is_signed(type))
        return false;
    if (width(type) > 64)
        return ((const int64_t *)value)[1] < 0;
    return low(type, value) < 0;
}

struct number {
    char text[48];
};

static struct number number(const struct type *type, operand value)
{
    struct number number;
    char *text = number.text;
    if (type->kind == REAL) {
        double real = 0;
        float narrow;
        if (width(type) == 32) {
            memcpy(&narrow, &value, sizeof narrow);
            real = narrow;
        } else if (width(type) == 64) {
            memcpy(&real, (const void *)value, sizeof real);
        } else {
            real = (double)*(const long double *)value;
        }
        snprintf(text, sizeof number.text, "%.17g", real);
    } else if (type->kind != INTEGER) {
        snprintf(text, sizeof number.text, "<unknown>");
    } else if (width(type) > 64) {
        const uint64_t *halves = (const uint64_t *)value;
        snprintf(text, sizeof number.text, "0x%016llx%016llx", (unsigned long long)halves[1], (unsigned long long)halves[0]);
    } else if (is_signed(type)) {
        snprintf(text, sizeof number.text, "%lld", (long long)low(type, value));
    } else {
        snprintf(text, sizeof number.text, "%llu", (unsigned long long)low(type, value));
    }
    return number;
}

/* A handler with these parameters: one that returns, and one that does not. */
#define HANDLER(name, parameters, arguments)              \
    static void name parameters;                          \
    WEAK void __ubsan_handle_##name parameters;           \
    WEAK void __ubsan_handle_##name parameters            \
    {                                                     \
        name arguments;                                   \
        if (ends_the_program())                           \
            __builtin_trap();                             \
    }                                                     \
    WEAK void __ubsan_handle_##name##_abort parameters;   \
    WEAK void __ubsan_handle_##name##_abort parameters    \
    {                                                     \
        name arguments;                                   \
        __builtin_trap();                                 \
    }                                                     \
    static void name parameters

/* One that never returns. */
#define LAST_HANDLER(name, parameters, arguments)         \
    static void name parameters;                          \
    WEAK void __ubsan_handle_##name parameters;           \
    WEAK void __ubsan_handle_##name parameters            \
    {                                                     \
        name arguments;                                   \
        __builtin_trap();                                 \
    }                                                     \
    static void name parameters

struct typed {
    struct place place;
    const struct type *type;
};

static void overflow(struct typed *at, operand left, const char *operator, operand right)
{
    const struct type *type = at->type;
    report(&at->place, "%s integer overflow: %s %s %s cannot be represented in type %s", is_signed(type) ? "signed" : "unsigned",
           number(type, left).text, operator, number(type, right).text, type->name);
}

HANDLER(add_overflow, (struct typed *at, operand left, operand right), (at, left, right))
{
    overflow(at, left, "+", right);
}

HANDLER(sub_overflow, (struct typed *at, operand left, operand right), (at, left, right))
{
    overflow(at, left, "-", right);
}

HANDLER(mul_overflow, (struct typed *at, operand left, operand right), (at, left, right))
{
    overflow(at, left, "*", right);
}

HANDLER(negate_overflow, (struct typed *at, operand value), (at, value))
{
    report(&at->place, "negation of %s cannot be represented in type %s%s", number(at->type, value).text, at->type->name,
           is_signed(at->type) ? "; cast to an unsigned type to negate this value to itself" : "");
}

HANDLER(divrem_overflow, (struct typed *at, operand left, operand right), (at, left, right))
{
    const struct type *type = at->type;
    if (is_signed(type) && width(type) <= 64 && low(type, right) == -1)
        report(&at->place, "division of %s by -1 cannot be represented in type %s", number(type, left).text, type->name);
    else
        report(&at->place, "division by zero");
}

struct shift {
    struct place place;
    const struct type *left, *right;
};

HANDLER(shift_out_of_bounds, (struct shift *at, operand left, operand right), (at, left, right))
{
    const struct type *of = at->left, *by = at->right;
    struct number value = number(of, left), distance = number(by, right);
    if (is_negative(by, right))
        report(&at->place, "shift exponent %s is negative", distance.text);
    else if (width(by) > 64 || (uint64_t)low(by, right) >= width(of))
        report(&at->place, "shift exponent %s is too large for %u-bit type %s", distance.text, width(of), of->name);
    else if (is_negative(of, left))
        report(&at->place, "left shift of negative value %s", value.text);
    else
        report(&at->place, "left shift of %s by %s places cannot be represented in type %s", value.text, distance.text, of->name);
}

struct index {
    struct place place;
    const struct type *array, *index;
};

HANDLER(out_of_bounds, (struct index *at, operand index), (at, index))
{
    report(&at->place, "index %s out of bounds for type %s", number(at->index, index).text, at->array->name);
}

HANDLER(vla_bound_not_positive, (struct typed *at, operand bound), (at, bound))
{
    report(&at->place, "variable length array bound evaluates to non-positive value %s", number(at->type, bound).text);
}

HANDLER(load_invalid_value, (struct typed *at, operand value), (at, value))
{
    report(&at->place, "load of value %s, which is not a valid value for type %s", number(at->type, value).text, at->type->name);
}

struct access {
    struct place place;
    const struct type *type;
    unsigned char log_of_alignment, kind;
};

static const char *const KINDS[] = {
    "load of", "store to", "reference binding to", "member access within", "member call on", "constructor call on", "downcast of",
    "downcast of", "upcast of", "cast to virtual base of", "_Nonnull binding to", "dynamic operation on"};

HANDLER(type_mismatch_v1, (struct access *at, operand pointer), (at, pointer))
{
    const char *kind = at->kind < sizeof KINDS / sizeof *KINDS ? KINDS[at->kind] : "access to";
    const char *name = at->type->name;
    if (pointer == 0)
        report(&at->place, "%s null pointer of type %s", kind, name);
    else if (pointer & (((operand)1 << at->log_of_alignment) - 1))
        report(&at->place, "%s misaligned address %p for type %s, which requires %u byte alignment", kind, (void *)pointer, name,
               1u << at->log_of_alignment);
    else
        report(&at->place, "%s address %p with insufficient space for an object of type %s", kind, (void *)pointer, name);
}

struct assumption {
    struct place place, assumed_at;
    const struct type *type;
};

HANDLER(alignment_assumption, (struct assumption *at, operand pointer, operand alignment, operand offset), (at, pointer, alignment, offset))
{
    report(&at->place, "assumption of %u byte alignment%s for pointer of type %s failed: its address is %p", (unsigned)alignment,
           offset ? " with an offset" : "", at->type->name, (void *)pointer);
}

struct at {
    struct place place;
};

HANDLER(pointer_overflow, (struct at *at, operand base, operand result), (at, base, result))
{
    void *from = (void *)base, *to = (void *)result;
    if (base == 0 && result == 0)
        report(&at->place, "applying zero offset to null pointer");
    else if (base == 0)
        report(&at->place, "applying non-zero offset %u to null pointer", (unsigned)result);
    else if (result == 0)
        report(&at->place, "applying non-zero offset to non-null pointer %p produced null pointer", from);
    else
        report(&at->place, "pointer index expression with base %p overflowed to %p", from, to);
}

struct conversion {
    struct place place;
    const struct type *from, *to;
    unsigned char kind;
    unsigned bits;
};

HANDLER(float_cast_overflow, (struct conversion *at, operand from), (at, from))
{
    report(&at->place, "%s is outside the range of representable values of type %s", number(at->from, from).text, at->to->name);
}

HANDLER(implicit_conversion, (struct conversion *at, operand from, operand to), (at, from, to))
{
    report(&at->place, "implicit conversion from type %s of value %s (%u-bit) to type %s changed the value to %s (%u-bit)",
           at->from->name, number(at->from, from).text, width(at->from), at->to->name, number(at->to, to).text,
           at->bits ? at->bits : width(at->to));
}

struct builtin {
    struct place place;
    unsigned char kind;
};

HANDLER(invalid_builtin, (struct builtin *at), (at))
{
    static const char *const what[] = {"passing zero to __builtin_ctz(), which is not a valid argument",
                                       "passing zero to __builtin_clz(), which is not a valid argument",
                                       "assumption is violated during execution"};
    report(&at->place, "%s", at->kind < 3 ? what[at->kind] : "an argument of a builtin function is not valid");
}

HANDLER(function_type_mismatch, (struct typed *at, operand function), (at, function))
{
    report(&at->place, "call to function %p through pointer to incorrect function type %s", (void *)function, at->type->name);
}

struct argument {
    struct place place, said_at;
    int number;
};

HANDLER(nonnull_arg, (struct argument *at), (at))
{
    report(&at->place, "null pointer passed as argument %d, which is declared to never be null", at->number);
}

HANDLER(nullability_arg, (struct argument *at), (at))
{
    report(&at->place, "null pointer passed as argument %d, which is declared to never be null", at->number);
}

HANDLER(nonnull_return_v1, (struct at *said, struct place *place), (said, place))
{
    (void)said;
    report(place, "null pointer returned from function declared to never return null");
}

HANDLER(nullability_return_v1, (struct at *said, struct place *place), (said, place))
{
    (void)said;
    report(place, "null pointer returned from function declared to never return null");
}

LAST_HANDLER(builtin_unreachable, (struct at *at), (at))
{
    report(&at->place, "execution reached an unreachable program point");
}

LAST_HANDLER(missing_return, (struct at *at), (at))
{
    report(&at->place, "execution reached the end of a value-returning function without returning a value");
}

HANDLER(local_out_of_bounds, (void), ())
{
    static struct place somewhere = {"<unknown>", 0, 0};
    somewhere.column = 0;
    report(&somewhere, "access out of bounds of a local array");
}
