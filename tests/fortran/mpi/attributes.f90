! Attributes: integers of address kind, the callbacks of their keys, predefined keys and callbacks.
! ranks: 1 2 3 4
! with: ../check.f90
module keys
  use mpi_f08
  implicit none
  integer :: copies = 0, deletions = 0
contains
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine remove(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
    if (extra_state /= 1000) ierror = MPI_ERR_OTHER
  end subroutine
  subroutine copy_type(olddatatype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Datatype) :: olddatatype
    integer :: type_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    flag = .false.
    ierror = MPI_SUCCESS
  end subroutine
end module

program attributes
  use keys
  use checks
  implicit none
  integer :: key, dup_key, null_key, type_key, rank
  integer(MPI_ADDRESS_KIND) :: value
  logical :: flag
  type(MPI_Comm) :: one, two
  type(MPI_Datatype) :: t, u
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
  call check(flag .and. value >= 32767, 'MPI_TAG_UB is the value')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag)
  call check(flag .and. (value == 0 .or. value == 1), 'MPI_WTIME_IS_GLOBAL')
  call MPI_Comm_create_keyval(copy, remove, key, 1000_MPI_ADDRESS_KIND)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, null_key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_WORLD, one)
  call MPI_Comm_get_attr(one, key, value, flag)
  call check(.not. flag, 'no attribute yet')
  call MPI_Comm_set_attr(one, key, int(-7 - rank, MPI_ADDRESS_KIND))
  call MPI_Comm_set_attr(one, dup_key, 5_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(one, null_key, 6_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(one, two)
  call MPI_Comm_get_attr(two, key, value, flag)
  call check(flag .and. value == 993 - rank .and. copies == 1, 'copied with the extra state')
  call MPI_Comm_get_attr(two, dup_key, value, flag)
  call check(flag .and. value == 5, 'MPI_COMM_DUP_FN')
  call MPI_Comm_get_attr(two, null_key, value, flag)
  call check(.not. flag, 'MPI_COMM_NULL_COPY_FN')
  call MPI_Comm_free(two)
  call check(deletions == 1, 'deleted with the communicator')
  call MPI_Comm_delete_attr(one, key)
  call check(deletions == 2, 'Comm_delete_attr')
  call MPI_Comm_free(one)
  call MPI_Comm_free_keyval(key)
  call MPI_Comm_free_keyval(dup_key)
  call MPI_Comm_free_keyval(null_key)
  call check(key == MPI_KEYVAL_INVALID, 'Comm_free_keyval')

  call MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, type_key, 0_MPI_ADDRESS_KIND)
  call MPI_Type_dup(MPI_REAL, t)
  call MPI_Type_set_attr(t, type_key, 12_MPI_ADDRESS_KIND)
  call MPI_Type_dup(t, u)
  call MPI_Type_get_attr(t, type_key, value, flag)
  call check(flag .and. value == 12, 'Type_get_attr')
  call MPI_Type_get_attr(u, type_key, value, flag)
  call check(.not. flag, 'a callback that copies nothing')
  call MPI_Type_delete_attr(t, type_key)
  call MPI_Type_free_keyval(type_key)
  call MPI_Type_free(t)
  call MPI_Type_free(u)
  call finish
end program
