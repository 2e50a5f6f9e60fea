/* OpenMP's functions for a program that is compiled without -fopenmp: its directives are ignored, and it does alone what
 * it would do in a team. With -fopenmp this is the header of LLVM's runtime. */
#ifdef _OPENMP
#include_next <omp.h>
#elif !defined(RANKINE_OMP_H)
#define RANKINE_OMP_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum omp_sched_t {
	omp_sched_static = 1,
	omp_sched_dynamic = 2,
	omp_sched_guided = 3,
	omp_sched_auto = 4
} omp_sched_t;
typedef enum omp_proc_bind_t {
	omp_proc_bind_false = 0,
	omp_proc_bind_true = 1,
	omp_proc_bind_primary = 2,
	omp_proc_bind_master = 2,
	omp_proc_bind_close = 3,
	omp_proc_bind_spread = 4
} omp_proc_bind_t;

/* How often it is held. */
typedef struct omp_lock_t { int held; } omp_lock_t;
typedef struct omp_nest_lock_t { int held; } omp_nest_lock_t;

static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_get_thread_limit(void) { return 1; }
static inline void omp_set_num_threads(int threads) { (void)threads; }
static inline int omp_in_parallel(void) { return 0; }
static inline int omp_in_final(void) { return 1; }
static inline int omp_get_dynamic(void) { return 0; }
static inline void omp_set_dynamic(int on) { (void)on; }
static inline int omp_get_nested(void) { return 0; }
static inline void omp_set_nested(int on) { (void)on; }
static inline int omp_get_cancellation(void) { return 0; }
static inline int omp_get_level(void) { return 0; }
static inline int omp_get_active_level(void) { return 0; }
static inline int omp_get_max_active_levels(void) { return 1; }
static inline int omp_get_supported_active_levels(void) { return 1; }
static inline void omp_set_max_active_levels(int levels) { (void)levels; }
static inline int omp_get_ancestor_thread_num(int level) { return level == 0 ? 0 : -1; }
static inline int omp_get_team_size(int level) { return level == 0 ? 1 : -1; }
static inline int omp_get_num_teams(void) { return 1; }
static inline int omp_get_team_num(void) { return 0; }
static inline omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
static inline int omp_get_num_places(void) { return 0; }
static inline void omp_set_schedule(omp_sched_t kind, int chunk) { (void)kind, (void)chunk; }
static inline void omp_get_schedule(omp_sched_t *kind, int *chunk) { *kind = omp_sched_static, *chunk = 0; }

/* There is no device but the one that runs the program. */
static inline int omp_get_num_devices(void) { return 0; }
static inline int omp_get_initial_device(void) { return 0; }
static inline int omp_get_default_device(void) { return 0; }
static inline void omp_set_default_device(int device) { (void)device; }
static inline int omp_is_initial_device(void) { return 1; }

static inline double omp_get_wtime(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static inline double omp_get_wtick(void) { return 1e-9; }

/* Who waits for a lock that it holds would wait for ever. */
static inline void omp_init_lock(omp_lock_t *lock) { lock->held = 0; }
static inline void omp_destroy_lock(omp_lock_t *lock) { (void)lock; }
static inline void omp_set_lock(omp_lock_t *lock) {
	if (lock->held++)
		abort();
}
static inline void omp_unset_lock(omp_lock_t *lock) { lock->held = 0; }
static inline int omp_test_lock(omp_lock_t *lock) { return lock->held ? 0 : ++lock->held; }
static inline void omp_init_nest_lock(omp_nest_lock_t *lock) { lock->held = 0; }
static inline void omp_destroy_nest_lock(omp_nest_lock_t *lock) { (void)lock; }
static inline void omp_set_nest_lock(omp_nest_lock_t *lock) { lock->held++; }
static inline void omp_unset_nest_lock(omp_nest_lock_t *lock) { lock->held--; }
static inline int omp_test_nest_lock(omp_nest_lock_t *lock) { return ++lock->held; }

static inline void *omp_alloc(size_t size, unsigned long allocator) { return (void)allocator, malloc(size); }
static inline void omp_free(void *block, unsigned long allocator) { (void)allocator, free(block); }

#ifdef __cplusplus
}
#endif

#endif
