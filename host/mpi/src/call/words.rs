//! Between a guest's words and what the library takes: scalars, arrays, strings and statuses.
//!
//! Everything that is read is read once, into host memory; results are written back after the call, but for arrays of
//! statuses, which the library writes in place where nobody else can ([`StatusesOut`]). `what` names the parameter in an
//! error.

use std::ffi::{CString, c_int, c_void};
use std::mem::MaybeUninit;

use rankine_abi::{Addr, Kept, MPI_ERR_ARG, MPI_SUCCESS, MPI_UNDEFINED, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};
use rankine_guest::Error;
use rankine_guest::arguments::{MAX_STRING, length};
use rankine_guest::{Charge, Cost, quota};
use smallvec::SmallVec;

use crate::Result;
use crate::rank::Rank;
use rankine_system::text;

/// `MPI_Status` as it lies in the memory of guest and host alike.
pub type Status = [c_int; 8];

/// The position of `MPI_ERROR` in a status.
pub(crate) const ERROR: usize = 2;

/// What `MPI_ERROR` is until the library writes it.
const UNWRITTEN: c_int = c_int::MIN;

/// A word of a call, as compiled code passes it: the value comes first, little-endian, and the rest may be anything.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Raw {
    int: i32,
    long: i64,
    _vector: [u64; 2],
}

impl Raw {
    /// One of 64 bits; of a narrower value the rest are zeroes.
    pub(crate) fn of(bits: u64) -> Raw {
        Raw { long: bits.to_le() as i64 }
    }

    fn of_int(value: c_int) -> Raw {
        Raw::of(u64::from(value as u32))
    }
}

/// The words of a call: its parameters before, its result after.
pub struct Words<'a> {
    words: &'a mut [MaybeUninit<Raw>],
    /// Addresses, `MPI_Aint`s and what is kept have 64 bits ([`rankine_abi::LP64`]).
    are_lp64: bool,
    /// The result has been stored.
    returned: bool,
}

impl<'a> Words<'a> {
    /// Those of a call, of an import for programs with 64-bit addresses or another.
    ///
    /// # Safety
    /// The words are the parameters of a call, all of them initialised, and have room for its result.
    pub unsafe fn new(words: &'a mut [MaybeUninit<Raw>], are_lp64: bool) -> Words<'a> {
        Words { words, are_lp64, returned: false }
    }

    #[inline]
    fn raw(&self, at: usize) -> &Raw {
        // SAFETY: promised in `new`; an index beyond the words panics before.
        unsafe { self.words[at].assume_init_ref() }
    }

    /// An int.
    #[inline]
    pub fn int(&self, at: usize) -> c_int {
        // SAFETY: the word was set, with 32 bits at least.
        i32::from_le(unsafe { self.raw(at).int })
    }

    /// A handle, a function pointer or another word without sign.
    #[inline]
    pub(crate) fn word(&self, at: usize) -> u32 {
        self.int(at) as u32
    }

    /// An `MPI_Count` or `MPI_Offset`.
    #[inline]
    pub fn long(&self, at: usize) -> i64 {
        // SAFETY: the word was set, as one of 64 bits: the caller knows the signature.
        i64::from_le(unsafe { self.raw(at).long })
    }

    /// An `MPI_Aint`, which is signed.
    #[inline]
    pub(crate) fn aint(&self, at: usize) -> isize {
        if self.are_lp64 { self.long(at) as isize } else { self.int(at) as isize }
    }

    /// An address.
    #[inline]
    pub(crate) fn addr(&self, at: usize) -> Addr {
        Addr(if self.are_lp64 { self.long(at) as u64 } else { self.word(at).into() })
    }

    /// A value that the library keeps for the program.
    #[inline]
    pub(crate) fn kept(&self, at: usize) -> Kept {
        if self.are_lp64 { self.long(at).into() } else { self.int(at).into() }
    }

    /// A count: an int, or an `MPI_Count` of a large variant.
    #[inline]
    pub(crate) fn count(&self, large: bool, at: usize) -> i64 {
        if large { self.long(at) } else { i64::from(self.int(at)) }
    }

    /// What the call returns.
    pub(crate) fn returns(&mut self, value: Raw) {
        self.words[0].write(value);
        self.returned = true;
    }

    /// The end of a shim whose function returns no error code but a number or a handle.
    pub(crate) fn returns_int(&mut self, value: c_int) -> Result<()> {
        self.returns(Raw::of_int(value));
        Ok(())
    }

    /// The end of one whose function returns a `double`: no number, if it failed.
    pub(crate) fn returns_double(&mut self, value: Result<f64>) -> Result<()> {
        self.returns(Raw::of(value.as_ref().map_or(f64::NAN, |&value| value).to_bits()));
        value.map(drop)
    }

    /// The code of a call that failed, unless its function returns something else.
    pub(crate) fn fail(&mut self, code: c_int) {
        if !self.returned {
            self.words[0].write(Raw::of_int(code));
        }
    }

    /// `MPI_SUCCESS`, unless the function has stored another result.
    #[inline]
    pub(crate) fn succeed(&mut self) {
        if !self.returned {
            self.words[0].write(Raw::of_int(0));
        }
    }
}

/// A status that a call writes, unless the guest ignores it.
pub(crate) struct StatusOut {
    at: Addr,
    value: Status,
}

impl StatusOut {
    /// What the library is given.
    #[inline]
    pub(crate) fn pointer(&mut self) -> *mut Status {
        if self.at.is_null() { std::ptr::null_mut() } else { &raw mut self.value }
    }
}

/// An array of statuses that a call writes, unless the guest ignores it. Both sides have the same form of it, so the library
/// writes in the guest's memory. What it says there of errors is believed, so it writes in the host's memory instead where
/// the guest could write meanwhile: the rank has other threads, or a generalised request is asked for its status.
pub(crate) struct StatusesOut {
    at: Addr,
    guest: *mut Status,
    host: Option<(Vec<Status>, Charge)>,
    /// How often the guest had been called back before.
    called_back: u64,
}

impl StatusesOut {
    /// What the library is given.
    pub(crate) fn pointer(&mut self) -> *mut Status {
        self.host.as_mut().map_or(self.guest, |(statuses, _)| statuses.as_mut_ptr())
    }

    /// The error code in one of them. The guest may have changed it unless [`Self::are_the_librarys`].
    pub(crate) fn error(&self, r: &Rank, index: usize) -> c_int {
        if self.at.is_null() {
            return MPI_SUCCESS;
        }
        match &self.host {
            Some((statuses, _)) => statuses.get(index).map_or(MPI_SUCCESS, |status| status[ERROR]),
            None => r.get_int(self.error_at(index), "array_of_statuses").unwrap_or(MPI_SUCCESS),
        }
    }

    /// Tells the guest, who has the status, that this became of its operation.
    pub(crate) fn put_error(&self, r: &Rank, index: usize, code: c_int) {
        if !self.at.is_null() {
            // There is room, and a memory never shrinks.
            let _ = r.put_int(self.error_at(index), code, "array_of_statuses");
        }
    }

    fn error_at(&self, index: usize) -> Addr {
        self.at.plus((size_of::<Status>() * index + 4 * ERROR) as u64)
    }

    /// Whether nobody but the library can have written them since the call began.
    pub(crate) fn are_the_librarys(&self, r: &Rank) -> bool {
        self.host.is_some() || self.called_back == r.called_back.get()
    }

    /// Gives the guest the first `count` of them, which the library has written, where it does not have them yet.
    pub(crate) fn put(&self, r: &Rank, count: usize) {
        let Some((statuses, _)) = &self.host else { return };
        for (index, status) in statuses.iter().take(count).enumerate() {
            let at = self.at.plus((size_of::<Status>() * index) as u64);
            // There is room, and a memory never shrinks.
            let _ = r.put_whole_status(at, status, "array_of_statuses");
        }
    }
}

/// The weights of edges.
pub(crate) enum Weights {
    /// `MPI_UNWEIGHTED` or `MPI_WEIGHTS_EMPTY`, which are the same address in every ABI.
    Sentinel(Addr),
    /// One for each edge.
    Given(Vec<c_int>),
}

impl Weights {
    pub(crate) fn as_ptr(&self) -> *const c_int {
        match self {
            Weights::Sentinel(at) => std::ptr::without_provenance(at.0 as usize),
            Weights::Given(weights) => weights.as_ptr(),
        }
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_int {
        match self {
            Weights::Sentinel(at) => std::ptr::without_provenance_mut(at.0 as usize),
            Weights::Given(weights) => weights.as_mut_ptr(),
        }
    }
}

impl Rank {
    /// Whether there is room for a result, before anything is done.
    #[inline]
    pub(crate) fn room(&self, at: Addr, bytes: u64, what: &str) -> Result<()> {
        match self.memory().at(at, bytes) {
            // Address 0 is inside the memory, but no object of a program lies there.
            _ if at.is_null() && bytes > 0 => Err(Error::new(MPI_ERR_ARG, format!("{what} is the null pointer"))),
            Some(_) => Ok(()),
            None => Err(self.memory().outside(MPI_ERR_ARG, i128::from(at.0), i128::from(bytes), what)),
        }
    }

    /// The host's address of a guest's: for calls that only compare it. What lies outside the memory becomes its end, or a guest
    /// would learn from what a library says of other addresses where its memory lies.
    pub(crate) fn pointer(&self, at: Addr) -> *mut c_void {
        self.memory().base().wrapping_add(at.0.min(self.memory().size()) as usize).cast()
    }

    /// The bytes of a handle, an address or an `MPI_Aint` in the guest's memory.
    #[inline]
    pub(crate) fn word_bytes(&self) -> u64 {
        self.memory().word()
    }

    #[inline]
    pub(crate) fn get_handle(&self, at: Addr, what: &str) -> Result<u32> {
        self.memory().read_handle(at, what)
    }

    pub(crate) fn get_int(&self, at: Addr, what: &str) -> Result<c_int> {
        self.memory().read_i32(at, what)
    }

    pub(crate) fn get_aint(&self, at: Addr, what: &str) -> Result<isize> {
        Ok(self.memory().read_aint(at, what)? as isize)
    }

    pub(crate) fn get_long(&self, at: Addr, what: &str) -> Result<i64> {
        self.memory().read_i64(at, what)
    }

    #[inline]
    pub(crate) fn put_handle(&self, at: Addr, word: u32, what: &str) -> Result<()> {
        self.memory().write_handle(at, word, what)
    }

    pub(crate) fn put_address(&self, at: Addr, address: Addr, what: &str) -> Result<()> {
        self.memory().write_address(at, address, what)
    }

    #[inline]
    pub(crate) fn put_int(&self, at: Addr, value: c_int, what: &str) -> Result<()> {
        self.memory().write_i32(at, value, what)
    }

    /// Stores an `MPI_Aint`; `MPI_UNDEFINED` where the guest's is too small.
    pub(crate) fn put_aint(&self, at: Addr, value: isize, what: &str) -> Result<()> {
        self.memory().write_aint(at, value as i64, what)
    }

    pub(crate) fn put_long(&self, at: Addr, value: i64, what: &str) -> Result<()> {
        self.memory().write_i64(at, value, what)
    }

    /// Stores a count: an int, or an `MPI_Count` of a large variant.
    pub(crate) fn put_count(&self, large: bool, at: Addr, value: i64, what: &str) -> Result<()> {
        if large { self.put_long(at, value, what) } else { self.put_int(at, int_or_undefined(value), what) }
    }

    /// Reads an array of ints.
    pub(crate) fn ints(&self, at: Addr, count: i64, what: &str) -> Result<Vec<c_int>> {
        self.memory().ints(at, count, what)
    }

    /// Reads an array of `MPI_Aint`s.
    pub(crate) fn aints(&self, at: Addr, count: i64, what: &str) -> Result<Vec<isize>> {
        Ok(self.memory().read_aints(at, count, what)?.into_iter().map(|value| value as isize).collect())
    }

    /// Reads an array of `MPI_Count`s.
    pub(crate) fn longs(&self, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
        self.memory().longs(at, count, what)
    }

    /// Reads an array of handles.
    pub(crate) fn handles(&self, at: Addr, count: i64, what: &str) -> Result<Vec<u32>> {
        self.memory().read_handles(at, count, what)
    }

    /// Reads an array of handles that is short, as a rule.
    #[inline]
    pub(crate) fn short_handles(&self, at: Addr, count: i64, what: &str) -> Result<SmallVec<[u32; 64]>> {
        match self.memory().is_wide() {
            false => self.short_ints(at, count, what),
            true => self.handles(at, count, what).map(SmallVec::from_vec),
        }
    }

    /// Reads an array of ints that is short, as a rule.
    #[inline]
    pub(crate) fn short_ints(&self, at: Addr, count: i64, what: &str) -> Result<SmallVec<[u32; 64]>> {
        self.memory().read_words(at, length(count, what)?, what)
    }

    pub(crate) fn put_ints(&self, at: Addr, values: &[c_int], what: &str) -> Result<()> {
        self.memory().write_i32s(at, values, what)
    }

    pub(crate) fn put_handles(&self, at: Addr, handles: &[u32], what: &str) -> Result<()> {
        self.memory().write_handles(at, handles.iter().copied(), what)
    }

    /// Reads the weights of edges.
    pub(crate) fn weights(&self, at: Addr, count: i64, what: &str) -> Result<Weights> {
        match at {
            MPI_UNWEIGHTED | MPI_WEIGHTS_EMPTY => Ok(Weights::Sentinel(at)),
            _ => self.ints(at, count, what).map(Weights::Given),
        }
    }

    pub(crate) fn put_weights(&self, at: Addr, weights: &Weights, what: &str) -> Result<()> {
        match weights {
            Weights::Sentinel(_) => Ok(()),
            Weights::Given(weights) => self.put_ints(at, weights, what),
        }
    }

    /// Reads a string, and sees to it that the library may have it.
    pub(crate) fn string(&self, at: Addr, what: &str) -> Result<CString> {
        let text = self.memory().string(at, what)?;
        text::check(what, &text)?;
        Ok(CString::new(text).expect("it was read up to its zero byte"))
    }

    /// Room for a string that the library writes: as much as the guest has.
    pub(crate) fn text_room(&self, at: Addr, room: i64, what: &str) -> Result<Vec<u8>> {
        let room = length(room, what)?;
        self.room(at, room as u64, what)?;
        // Never empty, as the library may write a zero byte.
        Ok(vec![0; room.clamp(1, MAX_STRING)])
    }

    /// Stores a string that the library wrote, with its zero byte.
    pub(crate) fn put_text(&self, at: Addr, text: &[u8], room: i64, what: &str) -> Result<()> {
        let end = text.iter().position(|&byte| byte == 0).map_or(text.len(), |zero| zero + 1);
        self.memory().write_bytes(at, &text[..end.min(length(room, what)?)], what)
    }

    /// Reads a status that the guest passes in.
    pub(crate) fn status_in(&self, at: Addr, what: &str) -> Result<Status> {
        Ok(self.memory().read_status(at, what)?.words())
    }

    /// A status to be written.
    #[inline]
    pub(crate) fn status_out(&self, at: Addr, what: &str) -> Result<StatusOut> {
        if !at.is_null() {
            self.room(at, 32, what)?;
        }
        Ok(StatusOut { at, value: [0; 8] })
    }

    /// Writes a status but for its `MPI_ERROR`, which calls with a single status leave alone (MPI-5.0 §3.2.5).
    #[inline]
    pub(crate) fn put_status(&self, status: &StatusOut) {
        // There is room, and a memory never shrinks.
        let _ = self.memory().write_status(status.at, &rankine_abi::Status::from_words(status.value), "status");
    }

    /// The status of a request that a call completes or looks at.
    #[inline]
    pub(crate) fn completion_out(&self, at: Addr, what: &str) -> Result<StatusOut> {
        let mut status = self.status_out(at, what)?;
        status.value[ERROR] = UNWRITTEN;
        Ok(status)
    }

    /// Writes that one. In the empty status, that of a request which was null or inactive, the library has said that there
    /// was no error; in others it leaves `MPI_ERROR` alone.
    #[inline]
    pub(crate) fn put_completion(&self, status: &StatusOut) {
        self.put_status(status);
        if status.value[ERROR] == MPI_SUCCESS && !status.at.is_null() {
            // There is room, and a memory never shrinks.
            let _ = self.put_whole_status(status.at, &status.value, "status");
        }
    }

    pub(crate) fn put_whole_status(&self, at: Addr, status: &Status, what: &str) -> Result<()> {
        self.memory().write_whole_status(at, &rankine_abi::Status::from_words(*status), what)
    }

    /// So many statuses to be written, nowhere if the guest ignores them.
    pub(crate) fn statuses_out(&self, at: Addr, count: i64, what: &str) -> Result<StatusesOut> {
        let called_back = self.called_back.get();
        if at.is_null() {
            return Ok(StatusesOut { at, guest: std::ptr::null_mut(), host: None, called_back });
        }
        if count > 0 && !at.0.is_multiple_of(align_of::<Status>() as u64) {
            return Err(Error::new(MPI_ERR_ARG, format!("{what}: {:#x} is not the address of a status", at.0)));
        }
        let count = length(count, what)?;
        self.room(at, count as u64 * size_of::<Status>() as u64, what)?;
        let host = match self.init.has_threads() || self.requests.generalised.has_any() {
            true => Some(self.own_statuses(count)?),
            false => None,
        };
        Ok(StatusesOut { at, guest: self.pointer(at).cast(), host, called_back })
    }

    /// Statuses in the host's memory, without an error as long as the library writes none.
    #[cold]
    fn own_statuses(&self, count: usize) -> Result<(Vec<Status>, Charge)> {
        let charge = self.account().charge(count * size_of::<Status>(), Cost::Statuses)?;
        let mut statuses: Vec<Status> = quota::room(count, Cost::Statuses)?;
        statuses.resize(count, [0; 8]);
        Ok((statuses, charge))
    }
}

/// A number as an int; `MPI_UNDEFINED` if it is none.
fn int_or_undefined(value: i64) -> c_int {
    c_int::try_from(value).unwrap_or(MPI_UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_returns_its_code_or_no_number() {
        let mut words = [MaybeUninit::new(Raw::of_int(7))];
        // SAFETY: one word, initialised, and room for a result.
        unsafe { Words::new(&mut words, false) }.fail(MPI_ERR_ARG);
        // SAFETY: it was written.
        assert_eq!(unsafe { words[0].assume_init().int }, MPI_ERR_ARG.to_le());
        // SAFETY: one word, initialised, and room for a result.
        let mut call = unsafe { Words::new(&mut words, false) };
        call.returns_double(Err(Error::new(MPI_ERR_ARG, "no clock"))).unwrap_err();
        call.fail(MPI_ERR_ARG);
        // SAFETY: it was written.
        assert!(f64::from_bits(u64::from_le(unsafe { words[0].assume_init().long } as u64)).is_nan());
    }
}
