/* Descriptions of derived types, made from what the program knows of them (type_info.h): allocatable components are
 * part of a value and always travel, pointers travel if rankine_describe names them, and the rest is bytes. A type that
 * is only reached from another one is described when it is needed. */
#include "objects.h"
#include "type_info.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct description {
    const struct derived_type *of;
    Rankine_Type type;
    enum { DECLARED, DEFINED, REFUSED } state;
    char *transport, *weak; /* names of pointers, as rankine_describe was given them; null if it was not called */
    struct description *next;
};

static struct description *descriptions;
/* Some are declared, because others refer to them, and not defined. */
static int incomplete;

int rankine_fail(MPI_Comm comm, int class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("rankine: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Comm_call_errhandler(comm, class);
    return class;
}

/* A name that a table has, with an end; from a few places in turn. */
static const char *text(const void *address, unsigned long long length)
{
    static char texts[4][64];
    static int turn;
    char *copy = texts[turn++ % 4];
    if (length > sizeof texts[0] - 1)
        length = sizeof texts[0] - 1;
    memcpy(copy, address, length);
    copy[length] = 0;
    return copy;
}
#define NAME(of) text((of)->name.base_addr, (of)->name.elem_len)

/* An error of a description: `why` begins with the name of the type, and may go on with that of a component. */
static int wrong(int class, const struct derived_type *type, const struct component *component, const char *why)
{
    return rankine_fail(MPI_COMM_SELF, class, why, NAME(type), component ? NAME(component) : "");
}

/* Whether a list of names, with blanks or commas between them, has this one. */
static int has_name(const char *list, const struct component *component)
{
    const char *name = component->name.base_addr;
    size_t length = component->name.elem_len;
    for (const char *at = list; at != NULL && *at != 0; at += strcspn(at, " ,")) {
        at += strspn(at, " ,");
        size_t here = strcspn(at, " ,");
        if ((here == length && strncasecmp(at, name, length) == 0) || (here == 1 && *at == '*'))
            return 1;
    }
    return 0;
}

static int is_address(const struct derived_type *type, const char *name)
{
    return type->name.elem_len == strlen(name) && memcmp(type->name.base_addr, name, strlen(name)) == 0;
}

/* Whether a pointer of the type, or of what it inherits, has this name. */
static int is_pointer(const struct derived_type *type, const char *name, size_t length)
{
    const struct component *component = components(type);
    for (int index = 0; index < component_count(type); index++, component++) {
        if (index == 0 && type->has_parent && is_pointer(type_of(component), name, length))
            return 1;
        if (component->genre == POINTER && component->name.elem_len == length &&
            strncasecmp(component->name.base_addr, name, length) == 0)
            return 1;
    }
    return 0;
}

static struct description *find(const struct derived_type *of)
{
    /* The one that was wanted last stands first. */
    for (struct description **at = &descriptions; *at != NULL; at = &(*at)->next) {
        if ((*at)->of == of) {
            struct description *found = *at;
            *at = found->next;
            found->next = descriptions;
            return descriptions = found;
        }
    }
    return NULL;
}

static int number_size(const struct component *component);

/* What the compiler aligns variables of a type to, as far as a size tells: that of its strictest component. */
static int alignment(const struct derived_type *type)
{
    const struct component *component = components(type);
    int most = 1;
    for (int index = 0; index < component_count(type); index++, component++) {
        int own = component->genre != DATA             ? _Alignof(CFI_cdesc_t)
                  : component->category == DERIVED     ? alignment(type_of(component))
                  : component->category == COMPLEX     ? number_size(component) / 2
                                                       : number_size(component);
        most = own > most ? own : most;
    }
    most = most > 8 ? 8 : most;
    /* In a type of C that is packed, or one with a sequence, things may lie closer. */
    int low = (int)(type->size & -type->size);
    return low < most ? low : most;
}

#define NO_MEMORY "there is no memory to describe the type %s"

static struct description *declare(const struct derived_type *of)
{
    struct description *known = find(of);
    if (known != NULL)
        return known;
    if (of->components.of.base_addr != NULL &&
        (of->components.of.version != CFI_VERSION || of->components.of.elem_len != sizeof(struct component))) {
        wrong(MPI_ERR_INTERN, of, NULL, "the table of the type %s has not the form that Rankine knows: it is another compiler's");
        return NULL;
    }
    known = calloc(1, sizeof *known);
    if (known == NULL) {
        wrong(MPI_ERR_NO_MEM, of, NULL, NO_MEMORY);
        return NULL;
    }
    rankine_offer_allocator(Rankine_Allocate, (size_t)Rankine_Release | 0x80000000u);
    *known = (struct description){.of = of, .next = descriptions};
    if (Rankine_Type_create(NAME(of), (int)of->size, alignment(of), &known->type) != MPI_SUCCESS) {
        free(known);
        return NULL;
    }
    incomplete = 1;
    return descriptions = known;
}

/* ---- fields ---- */

struct fields {
    const struct description *of;
    Rankine_Field *field;
    int count, capacity;
};

static int add(struct fields *fields, const struct component *component, Rankine_Field field)
{
    if (fields->count == fields->capacity) {
        int capacity = fields->capacity ? fields->capacity * 2 : 16;
        Rankine_Field *more = realloc(fields->field, capacity * sizeof *more);
        if (more == NULL)
            return wrong(MPI_ERR_NO_MEM, fields->of->of, NULL, NO_MEMORY);
        fields->field = more;
        fields->capacity = capacity;
    }
    field.name = strdup(NAME(component));
    fields->field[fields->count++] = field;
    return MPI_SUCCESS;
}

/* What stands for a number or character, or for a part of one. */
static Rankine_Type number_type(const struct component *component)
{
    if (component->category == REAL || component->category == COMPLEX) {
        if (component->kind == 4)
            return RANKINE_OF(MPI_FLOAT);
        if (component->kind == 8)
            return RANKINE_OF(MPI_DOUBLE);
    }
    if (component->category == CHARACTER && component->kind == 1)
        return RANKINE_OF(MPI_CHAR);
    switch (component->kind) {
    case 1: return RANKINE_OF(MPI_INT8_T);
    case 2: case 3: return RANKINE_OF(MPI_INT16_T);
    case 4: return RANKINE_OF(MPI_INT32_T);
    default: return RANKINE_OF(MPI_INT64_T);
    }
}

/* Its bytes. */
static int number_unit(const struct component *component)
{
    return component->kind == 1 || component->kind == 2 || component->kind == 4 ? component->kind : component->kind == 3 ? 2 : 8;
}

static int number_size(const struct component *component)
{
    int size = component->kind == 3 ? 2 : component->kind == 10 ? 16 : component->kind;
    return component->category == COMPLEX ? 2 * size : size;
}

/* Bytes of an element; 0 for strings of any length. */
static long long element_size(const struct component *component)
{
    if (component->category == DERIVED)
        return type_of(component)->size;
    if (component->category == CHARACTER)
        return component->length.genre == EXPLICIT ? component->length.value * component->kind : 0;
    return number_size(component);
}

/* The code that descriptors have for it. */
static int type_code(const struct component *component)
{
    static const signed char codes[][17] = {
        [INTEGER] = {[1] = CFI_type_int8_t, [2] = CFI_type_int16_t, [4] = CFI_type_int32_t, [8] = CFI_type_int64_t,
                     [16] = CFI_type_int128_t},
        [UNSIGNED] = {[1] = CFI_type_uint8_t, [2] = CFI_type_uint16_t, [4] = CFI_type_uint32_t, [8] = CFI_type_uint64_t,
                      [16] = CFI_type_uint128_t},
        [REAL] = {[2] = CFI_type_half_float, [3] = CFI_type_bfloat, [4] = CFI_type_float, [8] = CFI_type_double,
                  [10] = CFI_type_extended_double, [16] = CFI_type_float128},
        [COMPLEX] = {[2] = CFI_type_half_float_Complex, [3] = CFI_type_bfloat_Complex, [4] = CFI_type_float_Complex,
                     [8] = CFI_type_double_Complex, [10] = CFI_type_extended_double_Complex,
                     [16] = CFI_type_float128_Complex},
        [CHARACTER] = {[1] = CFI_type_char, [2] = CFI_type_char16_t, [4] = CFI_type_char32_t},
        [LOGICAL] = {[1] = CFI_type_Bool, [2] = CFI_type_int_least16_t, [4] = CFI_type_int_least32_t,
                     [8] = CFI_type_int_least64_t},
    };
    if (component->category == DERIVED)
        return CFI_type_struct;
    return component->kind <= 16 ? codes[(int)component->category][(int)component->kind] : 0;
}

static int elements(const struct component *component)
{
    const struct value *bounds = component->bounds.of.base_addr;
    long long count = 1;
    for (int dimension = 0; dimension < component->rank; dimension++) {
        long long extent = bounds[2 * dimension + 1].value - bounds[2 * dimension].value + 1;
        count *= extent > 0 ? extent : 0;
    }
    return (int)count;
}

static int define(struct description *description);
static int add_all(struct fields *fields, const struct derived_type *type, long long offset);

/* A pointer or an allocatable. */
static int add_descriptor(struct fields *fields, const struct component *component, int offset, int travels, int is_weak)
{
    const struct derived_type *type = type_of(component);
    if (component->category == DERIVED && type == NULL) {
        if (travels)
            return wrong(MPI_ERR_TYPE, fields->of->of, component, "in type %s: %s is CLASS(*), and may refer to anything");
        return add(fields, component, rankine_pointers(RANKINE_KIND_LEFT, offset, 1, 0, NULL));
    }
    Rankine_Type to = 0;
    if (travels && type != NULL && type->size == 0) {
        /* There is nothing to describe: a row of no bytes, which is there or not. */
        to = is_weak ? 0 : RANKINE_OF(MPI_CHAR);
        is_weak = 0;
    } else if (travels && type != NULL) {
        struct description *target = declare(type);
        if (target == NULL)
            return MPI_ERR_TYPE;
        to = target->type;
    } else if (travels) {
        to = number_type(component);
    }
    int attribute = component->genre == POINTER ? CFI_attribute_pointer : CFI_attribute_allocatable;
    Rankine_Descriptor_field field = {
        .kind = RANKINE_KIND_DESCRIPTOR | (is_weak ? RANKINE_WEAK_FLAG : 0),
        .offset = offset,
        .type = to,
        .rank = component->rank,
        .length = (int)element_size(component),
        .version = CFI_VERSION,
        .bytes = component->rank | type_code(component) << 8 | attribute << 16 | (type != NULL) << 24,
        .information = (int)(size_t)type,
    };
    union { Rankine_Descriptor_field descriptor; Rankine_Field plain; } both = {.descriptor = field};
    return add(fields, component, both.plain);
}

/* Objects and numbers that lie in this one. */
static int add_data(struct fields *fields, const struct component *component, int offset)
{
    const struct derived_type *type = type_of(component);
    int count = elements(component);
    if (component->category != DERIVED) {
        count *= (int)element_size(component) / number_unit(component);
        Rankine_Field field = rankine_array(RANKINE_KIND_INLINE, offset, number_type(component), count, -1, -1, NULL);
        return count == 0 ? MPI_SUCCESS : add(fields, component, field);
    }
    if (count == 0 || type->size == 0)
        return MPI_SUCCESS;
    if (is_address(type, "__builtin_c_ptr"))
        return add(fields, component, rankine_pointers(RANKINE_KIND_LEFT, offset, count, 0, NULL));
    if (is_address(type, "__builtin_c_funptr"))
        return MPI_SUCCESS;
    struct description *inner = declare(type);
    if (inner == NULL || (inner->state != DEFINED && define(inner) != MPI_SUCCESS))
        return MPI_ERR_TYPE;
    return add(fields, component, rankine_array(RANKINE_KIND_INLINE, offset, inner->type, count, -1, -1, NULL));
}

static int add_component(struct fields *fields, const struct component *component, long long offset)
{
    const struct description *of = fields->of;
    int at = (int)(offset + component->offset);
    if (component->genre == AUTOMATIC || (component->category == CHARACTER && component->length.genre == PARAMETER))
        return wrong(MPI_ERR_TYPE, of->of, component, "in type %s: %s depends on a type parameter, which is not supported");
    if (component->genre == DATA)
        return add_data(fields, component, at);
    if (component->genre == ALLOCATABLE)
        return add_descriptor(fields, component, at, 1, 0);
    if (component->genre != POINTER)
        return wrong(MPI_ERR_TYPE, of->of, component, "in type %s: %s is of a kind that Rankine does not know");
    if (of->transport == NULL)
        return wrong(MPI_ERR_TYPE, of->of, component,
                     "the type %s has pointers, as %s: say with rankine_describe which of them travel, before the type is used");
    int is_weak = has_name(of->weak, component);
    if (is_weak && (component->rank > 0 || type_of(component) == NULL))
        return wrong(MPI_ERR_TYPE, of->of, component, "in type %s: %s is weak, but is not a scalar pointer to a derived type");
    return add_descriptor(fields, component, at, is_weak || has_name(of->transport, component), is_weak);
}

/* What a type inherits is part of it. Procedure pointers need no field: a function's number is the same in every rank
 * of a program. */
static int add_all(struct fields *fields, const struct derived_type *type, long long offset)
{
    const struct component *component = components(type);
    for (int index = 0; index < component_count(type); index++, component++) {
        int is_parent = index == 0 && type->has_parent;
        int code = is_parent ? add_all(fields, type_of(component), offset + component->offset)
                             : add_component(fields, component, offset);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int define(struct description *description)
{
    struct fields fields = {.of = description};
    int code = add_all(&fields, description->of, 0);
    if (code == MPI_SUCCESS)
        code = Rankine_Type_define(description->type, fields.count, fields.field);
    description->state = code == MPI_SUCCESS ? DEFINED : REFUSED;
    while (fields.count > 0)
        free((char *)fields.field[--fields.count].name);
    free(fields.field);
    return code;
}

static struct description *undefined(void)
{
    struct description *at = descriptions;
    while (at != NULL && at->state != DECLARED)
        at = at->next;
    return at;
}

/* ---- what the rest of the glue and programs call ---- */

int rankine_type_of(const CFI_cdesc_t *variable, MPI_Comm comm, Rankine_Type *type)
{
    const struct derived_type *of = rankine_information(variable);
    if (of == NULL)
        return rankine_fail(comm, MPI_ERR_TYPE, "objects are of derived type; numbers and text travel by MPI's own procedures");
    if ((long long)variable->elem_len != of->size)
        return rankine_fail(comm, MPI_ERR_TYPE, "the type %s has %lld bytes in the compiler's tables, but its variables %lld", NAME(of),
                            of->size, (long long)variable->elem_len);
    struct description *description = declare(of);
    if (description == NULL)
        return MPI_ERR_TYPE;
    if (description->state != DEFINED) {
        int code = define(description);
        if (code != MPI_SUCCESS)
            return code;
    }
    /* What is refused among the others does not matter before it is met, and then the host says so. */
    for (struct description *next; incomplete && (next = undefined()) != NULL;)
        define(next);
    incomplete = 0;
    *type = description->type;
    return MPI_SUCCESS;
}

/* Checks that every name of a list is that of a pointer of the type. */
static int check_names(const char *list, const struct derived_type *type)
{
    for (const char *at = list + strspn(list, " ,"); *at != 0; at += strspn(at, " ,")) {
        size_t length = strcspn(at, " ,");
        if (!(length == 1 && *at == '*') && !is_pointer(type, at, length))
            return rankine_fail(MPI_COMM_SELF, MPI_ERR_ARG, "the type %s has no pointer %.*s", NAME(type), (int)length, at);
        at += length;
    }
    return MPI_SUCCESS;
}

void rankine_describe_(const CFI_cdesc_t *variable, const char *transport, const char *weak, int *ierror,
                       size_t transport_length, size_t weak_length)
{
    const struct derived_type *of = rankine_information(variable);
    struct description *description = of == NULL ? NULL : declare(of);
    int code = MPI_ERR_TYPE;
    if (of == NULL) {
        rankine_fail(MPI_COMM_SELF, MPI_ERR_TYPE, "rankine_describe wants a variable of derived type");
    } else if (description != NULL && description->state == DEFINED) {
        wrong(MPI_ERR_TYPE, of, NULL, "the type %s has been described or used already; types that others hold come first");
    } else if (description != NULL) {
        char *names = rankine_c_string(transport, transport ? transport_length : 0);
        char *weak_names = rankine_c_string(weak, weak ? weak_length : 0);
        code = check_names(names, of);
        if (code == MPI_SUCCESS)
            code = check_names(weak_names, of);
        if (code == MPI_SUCCESS) {
            description->transport = names;
            description->weak = weak_names;
            code = define(description);
        }
    }
    return_code(ierror, code);
}

/* Makes what Rankine_Free has freed, or may have freed, refer to nothing: allocatables, and the pointers that travel or
 * are weak. `of` is the type that rankine_describe was called for, where `type` is what it inherits. */
static void nullify(const struct derived_type *of, const struct derived_type *type, char *object)
{
    const struct description *description = find(of);
    const char *transport = description ? description->transport : NULL, *weak = description ? description->weak : NULL;
    const struct component *component = components(type);
    for (int index = 0; index < component_count(type); index++, component++) {
        char *at = object + component->offset;
        const struct derived_type *inner = type_of(component);
        if (component->genre == ALLOCATABLE ||
            (component->genre == POINTER && (has_name(transport, component) || has_name(weak, component))))
            ((CFI_cdesc_t *)at)->base_addr = NULL;
        else if (component->genre == DATA && index == 0 && type->has_parent)
            nullify(of, inner, at);
        else if (component->genre == DATA && inner != NULL)
            for (int element = 0; element < elements(component); element++)
                nullify(inner, inner, at + element * inner->size);
    }
}

void rankine_nullify(const CFI_cdesc_t *variable, void *objects, int count)
{
    const struct derived_type *type = rankine_information(variable);
    for (int index = 0; index < count; index++)
        nullify(type, type, (char *)objects + index * type->size);
}
