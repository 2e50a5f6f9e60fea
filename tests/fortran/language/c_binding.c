// The C side of c_binding.f90.
// part: yes
#include <ISO_Fortran_binding.h>
#include <complex.h>
#include <stddef.h>

struct mixed {
    int before;
    int *address;
    double number;
    int (*function)(int);
    signed char after;
};
struct single { int value; };
struct pair { double x; int n; };
int c_counter = 10;

int c_check(struct mixed *m)
{
    int was = *m->address;
    *m->address = m->function(21);
    return was == 99 && m->before == -1 && m->number == 0.25 && m->after == 17;
}
int c_single(struct single s) { return s.value * 2; }
struct single c_make_single(int n) { return (struct single){n}; }
struct pair c_swap(struct pair p, double factor) { return (struct pair){p.n * factor, (int)p.x}; }
double complex c_square(double complex z) { return z * z; }
float complex c_conjugate(float complex z) { return conjf(z); }
void c_each(const int *values, size_t n, void (*f)(int))
{
    for (size_t i = 0; i < n; i++)
        f(values[i]);
}
long c_sum_section(CFI_cdesc_t *a)
{
    long sum = 0;
    for (CFI_index_t j = 0; j < a->dim[1].extent; j++)
        for (CFI_index_t i = 0; i < a->dim[0].extent; i++)
            sum += *(int *)((char *)a->base_addr + i * a->dim[0].sm + j * a->dim[1].sm);
    return sum;
}
const char *c_text(void) { return "hello"; }
void c_sizes(int *sizes)
{
    sizes[0] = sizeof(long);
    sizes[1] = sizeof(size_t);
    sizes[2] = sizeof(void *);
    sizes[3] = sizeof(struct mixed);
    sizes[4] = sizeof(struct pair);
    sizes[5] = sizeof(long long);
}
