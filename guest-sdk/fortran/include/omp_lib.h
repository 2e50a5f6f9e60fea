! OpenMP's procedures for a program with one thread (the module omp_lib), in fixed and in free form.
      integer omp_lock_kind, omp_nest_lock_kind, omp_sched_kind
      integer omp_proc_bind_kind
      parameter (omp_lock_kind = 4, omp_nest_lock_kind = 4)
      parameter (omp_sched_kind = 4, omp_proc_bind_kind = 4)
      integer omp_sched_static, omp_sched_dynamic
      integer omp_sched_guided, omp_sched_auto
      parameter (omp_sched_static = 1, omp_sched_dynamic = 2)
      parameter (omp_sched_guided = 3, omp_sched_auto = 4)
      integer omp_proc_bind_false, omp_proc_bind_true
      integer omp_proc_bind_master, omp_proc_bind_close
      integer omp_proc_bind_spread
      parameter (omp_proc_bind_false = 0, omp_proc_bind_true = 1)
      parameter (omp_proc_bind_master = 2, omp_proc_bind_close = 3)
      parameter (omp_proc_bind_spread = 4)
      integer openmp_version
      parameter (openmp_version = 201511)
      external omp_set_num_threads, omp_set_dynamic, omp_set_nested
      external omp_set_max_active_levels
      external omp_set_schedule, omp_get_schedule
      external omp_set_default_device
      external omp_init_lock, omp_destroy_lock
      external omp_set_lock, omp_unset_lock
      external omp_init_nest_lock, omp_destroy_nest_lock
      external omp_set_nest_lock, omp_unset_nest_lock
      integer, external :: omp_get_thread_num, omp_get_num_threads
      integer, external :: omp_get_max_threads, omp_get_num_procs
      integer, external :: omp_get_thread_limit, omp_get_level
      integer, external :: omp_get_active_level
      integer, external :: omp_get_max_active_levels
      integer, external :: omp_get_ancestor_thread_num
      integer, external :: omp_get_team_size, omp_get_num_teams
      integer, external :: omp_get_team_num, omp_get_proc_bind
      integer, external :: omp_get_num_places, omp_get_num_devices
      integer, external :: omp_get_initial_device
      integer, external :: omp_get_default_device
      integer, external :: omp_test_nest_lock
      logical, external :: omp_in_parallel, omp_in_final
      logical, external :: omp_get_dynamic, omp_get_nested
      logical, external :: omp_get_cancellation
      logical, external :: omp_is_initial_device, omp_test_lock
      double precision, external :: omp_get_wtime, omp_get_wtick
