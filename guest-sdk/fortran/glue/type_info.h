/* What a program knows of its derived types at run time: the tables that flang writes for every type, as its runtime
 * reads them (DerivedType, Component and Value of flang's module __fortran_type_info), laid out as C does. The
 * descriptor of a variable of derived type leads to them. */
#pragma once

#include <ISO_Fortran_binding.h>

struct derived_type;

/* A descriptor, and one that has the address of a type's table behind its dimensions. */
#define DESCRIPTOR(rank) CFI_CDESC_T(rank)
#define DERIVED_DESCRIPTOR(rank)                \
    struct {                                    \
        DESCRIPTOR(rank) of;                    \
        const struct derived_type *information; \
        long long parameter;                    \
    }

struct value {
    signed char genre; /* of enum value_genre */
    long long value;
};
enum value_genre { DEFERRED = 1, EXPLICIT = 2, PARAMETER = 3 };

struct component {
    DESCRIPTOR(0) name;
    signed char genre;    /* of enum genre */
    signed char category; /* of enum category */
    signed char kind;
    signed char rank;
    long long offset;
    struct value length; /* of strings, in characters */
    DERIVED_DESCRIPTOR(0) derived;
    DERIVED_DESCRIPTOR(1) parameters;
    DERIVED_DESCRIPTOR(2) bounds; /* a lower and an upper one for each dimension */
    const void *initial;
};
enum genre { DATA = 1, POINTER = 2, ALLOCATABLE = 3, AUTOMATIC = 4 };
enum category { INTEGER, UNSIGNED, REAL, COMPLEX, CHARACTER, LOGICAL, DERIVED };

struct derived_type {
    DERIVED_DESCRIPTOR(1) bindings;
    DESCRIPTOR(0) name;
    long long size;
    DERIVED_DESCRIPTOR(0) uninstantiated;
    DESCRIPTOR(1) kinds;
    DESCRIPTOR(1) lengths;
    DERIVED_DESCRIPTOR(1) components; /* the parent first, as a component */
    DERIVED_DESCRIPTOR(1) procedures;
    DERIVED_DESCRIPTOR(1) special;
    int special_set;
    signed char has_parent;
};

static inline const struct component *components(const struct derived_type *type)
{
    return type->components.of.base_addr;
}

static inline int component_count(const struct derived_type *type)
{
    return type->components.of.base_addr ? (int)type->components.of.dim[0].extent : 0;
}

/* The table of the type of a component; null for CLASS(*) and for what is not of derived type. */
static inline const struct derived_type *type_of(const struct component *component)
{
    return component->category == DERIVED ? component->derived.of.base_addr : 0;
}
