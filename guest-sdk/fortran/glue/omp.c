// OpenMP's procedures for a program with one thread (the module omp_lib): those of the SDK's omp.h, by Fortran's names.
#include <omp.h>

#define NOTHING_GIVEN(type, name) \
    type name##_(void) { return name(); }
#define NUMBER_GIVEN(type, name) \
    type name##_(const int *number) { return name(*number); }
#define LOCK_GIVEN(type, name, lock) \
    type name##_(lock *held) { return name(held); }

NOTHING_GIVEN(int, omp_get_thread_num)
NOTHING_GIVEN(int, omp_get_num_threads)
NOTHING_GIVEN(int, omp_get_max_threads)
NOTHING_GIVEN(int, omp_get_num_procs)
NOTHING_GIVEN(int, omp_get_thread_limit)
NOTHING_GIVEN(int, omp_in_parallel)
NOTHING_GIVEN(int, omp_in_final)
NOTHING_GIVEN(int, omp_get_dynamic)
NOTHING_GIVEN(int, omp_get_nested)
NOTHING_GIVEN(int, omp_get_cancellation)
NOTHING_GIVEN(int, omp_get_level)
NOTHING_GIVEN(int, omp_get_active_level)
NOTHING_GIVEN(int, omp_get_max_active_levels)
NOTHING_GIVEN(int, omp_get_num_teams)
NOTHING_GIVEN(int, omp_get_team_num)
NOTHING_GIVEN(int, omp_get_proc_bind)
NOTHING_GIVEN(int, omp_get_num_places)
NOTHING_GIVEN(int, omp_get_num_devices)
NOTHING_GIVEN(int, omp_get_initial_device)
NOTHING_GIVEN(int, omp_get_default_device)
NOTHING_GIVEN(int, omp_is_initial_device)
NOTHING_GIVEN(double, omp_get_wtime)
NOTHING_GIVEN(double, omp_get_wtick)

NUMBER_GIVEN(void, omp_set_num_threads)
NUMBER_GIVEN(void, omp_set_dynamic)
NUMBER_GIVEN(void, omp_set_nested)
NUMBER_GIVEN(void, omp_set_max_active_levels)
NUMBER_GIVEN(int, omp_get_ancestor_thread_num)
NUMBER_GIVEN(int, omp_get_team_size)
NUMBER_GIVEN(void, omp_set_default_device)

LOCK_GIVEN(void, omp_init_lock, omp_lock_t)
LOCK_GIVEN(void, omp_destroy_lock, omp_lock_t)
LOCK_GIVEN(void, omp_set_lock, omp_lock_t)
LOCK_GIVEN(void, omp_unset_lock, omp_lock_t)
LOCK_GIVEN(int, omp_test_lock, omp_lock_t)
LOCK_GIVEN(void, omp_init_nest_lock, omp_nest_lock_t)
LOCK_GIVEN(void, omp_destroy_nest_lock, omp_nest_lock_t)
LOCK_GIVEN(void, omp_set_nest_lock, omp_nest_lock_t)
LOCK_GIVEN(void, omp_unset_nest_lock, omp_nest_lock_t)
LOCK_GIVEN(int, omp_test_nest_lock, omp_nest_lock_t)

void omp_set_schedule_(const int *kind, const int *chunk) { omp_set_schedule((omp_sched_t)*kind, *chunk); }

void omp_get_schedule_(int *kind, int *chunk)
{
    omp_sched_t found;
    omp_get_schedule(&found, chunk);
    *kind = found;
}
