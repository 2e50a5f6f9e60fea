//! The numbers of WASI's errors.

pub(crate) type Errno = i32;

pub(super) const BAD_DESCRIPTOR: Errno = 8;
pub(super) const EXISTS: Errno = 20;
pub(super) const FAULT: Errno = 21;
pub(super) const INVALID: Errno = 28;
pub(super) const IS_FOLDER: Errno = 31;
pub(super) const MANY_DESCRIPTORS: Errno = 33;
pub(super) const TOO_LONG: Errno = 37;
pub(super) const NO_DEVICE: Errno = 43;
pub(super) const NO_ENTRY: Errno = 44;
pub(super) const NO_SPACE: Errno = 51;
pub(super) const NOT_FOLDER: Errno = 54;
pub(super) const NOT_EMPTY: Errno = 55;
pub(super) const NOT_SOCKET: Errno = 57;
pub(super) const NOT_SUPPORTED: Errno = 58;
pub(super) const NOT_PERMITTED: Errno = 63;
pub(super) const OTHER_DEVICE: Errno = 75;
