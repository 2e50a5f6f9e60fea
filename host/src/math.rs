//! The functions of the import module `rankine_math`: BLAS 3 and factorisations in the host, on the guest's matrices where
//! they lie. The same on all engines.
//!
//! A function takes what the Fortran routine of its name takes, addresses all of them, and says whether it did the work.
//! It does all of it or nothing: what is unusual (an argument that is wrong, nothing to do, numbers at odd addresses) is left
//! to the compiled routine that the guest was linked with (`guest-sdk/lapack`), which knows what to say. So the host need not
//! be able to do everything, and a job that is to be reproducible has it do nothing. Only a matrix that is not all in the
//! guest's memory ends the rank, as it would if the guest touched it.
//!
//! A call takes no turn of a rank with threads: it looks at nothing but the memory, which never moves.

use std::fmt;
use std::sync::Arc;

use rankine_guest::{Account, copy};
use rankine_math::{Complex32, Complex64, Diagonal, Mirror, Scalar, Triangle, View};
use wasmtime::{Caller, FuncType, Linker, Val, ValType, format_err};

use crate::engine::Rank;
use crate::guest::Guest;
use crate::job::Settings;

/// The import module's name.
pub(crate) const MODULE: &str = "rankine_math";

/// Who does what guests ask of this module.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mathematics {
    /// The host, with what this machine has of vectors.
    Host,
    /// The guest, with the same bits on every machine.
    Guest,
}

impl Mathematics {
    /// The user's choice.
    pub(crate) fn of(settings: &Settings) -> Mathematics {
        if settings.reproducible { Mathematics::Guest } else { Mathematics::Host }
    }
}

/// A routine, whatever the kind of its numbers.
#[derive(Copy, Clone, Debug)]
enum Routine {
    Gemm,
    Symm(Mirror),
    RankK(Mirror),
    Rank2K(Mirror),
    Trmm,
    Trsm,
    Getrf,
    Potrf,
}

impl Routine {
    /// The routine of that name without its first letter, and how many arguments it has.
    fn named(name: &str) -> Option<(Routine, usize)> {
        Some(match name {
            "gemm" => (Routine::Gemm, 13),
            "symm" => (Routine::Symm(Mirror::Symmetric), 12),
            "hemm" => (Routine::Symm(Mirror::Hermitian), 12),
            "syrk" => (Routine::RankK(Mirror::Symmetric), 10),
            "herk" => (Routine::RankK(Mirror::Hermitian), 10),
            "syr2k" => (Routine::Rank2K(Mirror::Symmetric), 12),
            "her2k" => (Routine::Rank2K(Mirror::Hermitian), 12),
            "trmm" => (Routine::Trmm, 11),
            "trsm" => (Routine::Trsm, 11),
            "getrf" => (Routine::Getrf, 6),
            "potrf" => (Routine::Potrf, 5),
            _ => return None,
        })
    }

    /// Whether there is such a routine for complex numbers only.
    fn is_hermitian(self) -> bool {
        use Routine::{Rank2K, RankK, Symm};
        matches!(self, Symm(Mirror::Hermitian) | RankK(Mirror::Hermitian) | Rank2K(Mirror::Hermitian))
    }
}

/// Registers the function `name`, if there is one; says whether there is.
pub(crate) fn define<R: Rank>(
    linker: &mut Linker<Guest<R>>,
    name: &str,
    mathematics: Mathematics,
) -> wasmtime::Result<bool> {
    let Some((kind, rest)) = name.split_at_checked(1) else { return Ok(false) };
    let Some((routine, arguments)) = Routine::named(rest) else { return Ok(false) };
    let work = match kind {
        "s" if !routine.is_hermitian() => work::<f32>,
        "d" if !routine.is_hermitian() => work::<f64>,
        "c" => work::<Complex32>,
        "z" => work::<Complex64>,
        _ => return Ok(false),
    };
    let name = name.to_owned();
    let ty = FuncType::new(linker.engine(), vec![ValType::I32; arguments], [ValType::I32]);
    // Matrices in memory have the byte order of WebAssembly.
    let declines = mathematics == Mathematics::Guest || cfg!(target_endian = "big");
    linker.func_new(MODULE, &name.clone(), ty, move |mut caller, words, results| {
        let outcome = match declines {
            true => Err(Refusal::Declined),
            false => call(&mut caller, words, |call| work(routine, call))?,
        };
        results[0] = match outcome {
            Ok(()) => Val::I32(1),
            Err(Refusal::Declined) => Val::I32(0),
            Err(Refusal::Outside(text)) => return Err(format_err!("{name}: {text}")),
        };
        Ok(())
    })?;
    Ok(true)
}

/// Why the host doesn't do what it was asked.
#[derive(Debug)]
enum Refusal {
    /// The compiled routine shall.
    Declined,
    /// Nobody can.
    Outside(String),
}

type Outcome<T = ()> = Result<T, Refusal>;

/// Runs a routine on the memory of the guest that calls.
fn call<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    words: &[Val],
    work: impl FnOnce(&Call) -> Outcome,
) -> wasmtime::Result<Outcome> {
    if let Some(member) = caller.data().member() {
        member.team.check()?;
    }
    let (base, size) = Guest::memory(caller)?.place(&*caller);
    let account = caller.data().account();
    Ok(work(&Call { base, size: size as u64, words, account }))
}

/// The arguments of a call, and the memory that they point into.
struct Call<'a> {
    /// Mapped as long as the guest runs; it never moves, and what is inside stays inside.
    base: *mut u8,
    size: u64,
    words: &'a [Val],
    account: &'a Arc<Account>,
}

impl Call<'_> {
    /// Where the `bytes` bytes begin that an argument points to.
    fn at(&self, argument: usize, bytes: u64, what: impl fmt::Display) -> Outcome<*mut u8> {
        let address = u64::from(self.words[argument].unwrap_i32() as u32);
        match address.checked_add(bytes) {
            Some(end) if end <= self.size => Ok(self.base.wrapping_add(address as usize)),
            _ => Err(Refusal::Outside(format!(
                "{what}: {bytes} bytes at address {address:#x} are not inside the memory of {} bytes",
                self.size
            ))),
        }
    }

    /// A value that an argument points to.
    fn read<const N: usize>(&self, argument: usize) -> Outcome<[u8; N]> {
        let from = self.at(argument, N as u64, format_args!("argument {}", argument + 1))?;
        let mut bytes = [0; N];
        // SAFETY: so many bytes are in the memory, and as many in the array.
        unsafe { copy::copy(bytes.as_mut_ptr(), from, N) };
        Ok(bytes)
    }

    fn letter(&self, argument: usize) -> Outcome<u8> {
        Ok(self.read::<1>(argument)?[0].to_ascii_uppercase())
    }

    /// A dimension that is not 0.
    fn dimension(&self, argument: usize) -> Outcome<usize> {
        usize::try_from(i32::from_le_bytes(self.read(argument)?)).ok().filter(|&n| n > 0).ok_or(Refusal::Declined)
    }

    fn real<T: Scalar>(&self, argument: usize) -> Outcome<T> {
        Ok(T::real(match is_single::<T>() {
            true => f32::from_le_bytes(self.read(argument)?).into(),
            false => f64::from_le_bytes(self.read(argument)?),
        }))
    }

    fn scalar<T: Scalar>(&self, argument: usize) -> Outcome<T> {
        let from = self.at(argument, size_of::<T>() as u64, format_args!("argument {}", argument + 1))?;
        let mut value = T::ZERO;
        // SAFETY: so many bytes are in the memory, and in the number, which has no bits that it may not have.
        unsafe { copy::copy((&raw mut value).cast(), from, size_of::<T>()) };
        Ok(value)
    }

    /// A factor of what is computed; with 0 matrices are not looked at, and the compiled routine is as fast.
    fn factor<T: Scalar>(&self, argument: usize, mirror: Mirror) -> Outcome<T> {
        let factor = if mirror == Mirror::Hermitian { self.real(argument) } else { self.scalar(argument) }?;
        if factor == T::ZERO { Err(Refusal::Declined) } else { Ok(factor) }
    }

    /// The matrix that an argument points to, all of it in the memory; the argument behind that is the distance of its columns.
    fn matrix<T: Scalar>(&self, argument: usize, rows: usize, columns: usize) -> Outcome<View<T>> {
        let leading = self.dimension(argument + 1)?;
        if leading < rows {
            return Err(Refusal::Declined);
        }
        // No overflow: all of them are below 2³¹, and a number has at most 16 bytes.
        let elements = u128::from((columns - 1) as u64) * leading as u128 + rows as u128;
        let bytes = u64::try_from(elements * size_of::<T>() as u128).unwrap_or(u64::MAX);
        let what =
            format_args!("a matrix of {rows} x {columns}, leading dimension {leading}, argument {}", argument + 1);
        let first = self.at(argument, bytes, what)?.cast::<T>();
        if !first.is_aligned() {
            return Err(Refusal::Declined);
        }
        // SAFETY: all elements are in the memory, which is mapped as long as the guest runs.
        Ok(unsafe { View::new(first, rows, columns, leading) })
    }

    fn side(&self, argument: usize) -> Outcome<Side> {
        match self.letter(argument)? {
            b'L' => Ok(Side::Left),
            b'R' => Ok(Side::Right),
            _ => Err(Refusal::Declined),
        }
    }

    fn triangle(&self, argument: usize) -> Outcome<Triangle> {
        match self.letter(argument)? {
            b'U' => Ok(Triangle::Upper),
            b'L' => Ok(Triangle::Lower),
            _ => Err(Refusal::Declined),
        }
    }

    fn diagonal(&self, argument: usize) -> Outcome<Diagonal> {
        match self.letter(argument)? {
            b'U' => Ok(Diagonal::Ones),
            b'N' => Ok(Diagonal::Stored),
            _ => Err(Refusal::Declined),
        }
    }

    fn form(&self, argument: usize) -> Outcome<Form> {
        match self.letter(argument)? {
            b'N' => Ok(Form::Plain),
            b'T' => Ok(Form::Transposed),
            b'C' => Ok(Form::Adjoint),
            _ => Err(Refusal::Declined),
        }
    }
}

fn is_single<T: Scalar>() -> bool {
    size_of::<T>() == if T::IS_COMPLEX { 8 } else { 4 }
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// How a matrix is taken.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Form {
    Plain,
    Transposed,
    Adjoint,
}

impl Form {
    /// Rows and columns of what is stored, where this form of it has so many.
    fn stored(self, rows: usize, columns: usize) -> (usize, usize) {
        if self == Form::Plain { (rows, columns) } else { (columns, rows) }
    }

    fn of<T: Scalar>(self, view: View<T>) -> View<T> {
        match self {
            Form::Plain => view,
            Form::Transposed => view.transposed(),
            Form::Adjoint => view.adjoint(),
        }
    }
}

/// Does what a call asks for. Arguments are counted from 0, in the order of the Fortran routine's.
fn work<T: Scalar>(routine: Routine, call: &Call) -> Outcome {
    match routine {
        Routine::Gemm => gemm::<T>(call),
        Routine::Symm(mirror) => symm::<T>(call, mirror),
        Routine::RankK(mirror) => rank_k::<T>(call, mirror),
        Routine::Rank2K(mirror) => rank_2k::<T>(call, mirror),
        Routine::Trmm => of_triangle::<T>(call, rankine_math::trmm),
        Routine::Trsm => of_triangle::<T>(call, rankine_math::trsm),
        Routine::Getrf => getrf::<T>(call),
        Routine::Potrf => potrf::<T>(call),
    }
}

/// `TRANSA TRANSB M N K ALPHA A LDA B LDB BETA C LDC`
fn gemm<T: Scalar>(call: &Call) -> Outcome {
    let (form_a, form_b) = (call.form(0)?, call.form(1)?);
    let (m, n, k) = (call.dimension(2)?, call.dimension(3)?, call.dimension(4)?);
    let (alpha, beta) = (call.factor::<T>(5, Mirror::Symmetric)?, call.scalar(10)?);
    let stored = |at, form: Form, (rows, columns)| Ok(form.of(call.matrix(at, rows, columns)?));
    let a = stored(6, form_a, form_a.stored(m, k))?;
    let b = stored(8, form_b, form_b.stored(k, n))?;
    rankine_math::gemm(alpha, a, b, beta, call.matrix(11, m, n)?);
    Ok(())
}

/// `SIDE UPLO M N ALPHA A LDA B LDB BETA C LDC`
fn symm<T: Scalar>(call: &Call, mirror: Mirror) -> Outcome {
    let (side, triangle) = (call.side(0)?, call.triangle(1)?);
    let (m, n) = (call.dimension(2)?, call.dimension(3)?);
    let (alpha, beta) = (call.factor::<T>(4, Mirror::Symmetric)?, call.scalar(9)?);
    let order = if side == Side::Left { m } else { n };
    let (a, b, c) = (call.matrix(5, order, order)?, call.matrix(7, m, n)?, call.matrix(10, m, n)?);
    match side {
        Side::Left => rankine_math::symm(mirror, triangle, alpha, a, b, beta, c),
        Side::Right => {
            let [a, b, c] = [a, b, c].map(View::transposed);
            rankine_math::symm(mirror, triangle.other(), alpha, a, b, beta, c);
        }
    }
    Ok(())
}

/// The form of the factors of a product with itself: it has one letter for symmetric matrices and one for Hermitian ones;
/// with real numbers they mean the same.
fn form_of_factors<T: Scalar>(call: &Call, argument: usize, mirror: Mirror) -> Outcome<Form> {
    match (call.form(argument)?, mirror) {
        (Form::Plain, _) => Ok(Form::Plain),
        (Form::Transposed, Mirror::Symmetric) => Ok(Form::Transposed),
        (Form::Adjoint, Mirror::Symmetric) if !T::IS_COMPLEX => Ok(Form::Transposed),
        (Form::Adjoint, Mirror::Hermitian) => Ok(Form::Adjoint),
        _ => Err(Refusal::Declined),
    }
}

/// `UPLO TRANS N K ALPHA A LDA BETA C LDC`; factors of Hermitian matrices are real.
fn rank_k<T: Scalar>(call: &Call, mirror: Mirror) -> Outcome {
    let (triangle, form) = (call.triangle(0)?, form_of_factors::<T>(call, 1, mirror)?);
    let (n, k) = (call.dimension(2)?, call.dimension(3)?);
    let alpha = call.factor::<T>(4, mirror)?;
    let beta = if mirror == Mirror::Hermitian { call.real(7)? } else { call.scalar(7)? };
    let (rows, columns) = form.stored(n, k);
    let a = form.of(call.matrix(5, rows, columns)?);
    rankine_math::rank_k(mirror, triangle, alpha, a, beta, call.matrix(8, n, n)?);
    Ok(())
}

/// `UPLO TRANS N K ALPHA A LDA B LDB BETA C LDC`; for Hermitian matrices `BETA` is real.
fn rank_2k<T: Scalar>(call: &Call, mirror: Mirror) -> Outcome {
    let (triangle, form) = (call.triangle(0)?, form_of_factors::<T>(call, 1, mirror)?);
    let (n, k) = (call.dimension(2)?, call.dimension(3)?);
    let alpha = call.factor::<T>(4, Mirror::Symmetric)?;
    let beta = if mirror == Mirror::Hermitian { call.real(9)? } else { call.scalar(9)? };
    let (rows, columns) = form.stored(n, k);
    let (a, b) = (form.of(call.matrix(5, rows, columns)?), form.of(call.matrix(7, rows, columns)?));
    rankine_math::rank_2k(mirror, triangle, alpha, a, b, beta, call.matrix(10, n, n)?);
    Ok(())
}

/// `SIDE UPLO TRANSA DIAG M N ALPHA A LDA B LDB`
fn of_triangle<T: Scalar>(call: &Call, routine: fn(Triangle, Diagonal, T, View<T>, View<T>)) -> Outcome {
    let (side, triangle, form, diagonal) = (call.side(0)?, call.triangle(1)?, call.form(2)?, call.diagonal(3)?);
    let (m, n) = (call.dimension(4)?, call.dimension(5)?);
    let alpha = call.factor::<T>(6, Mirror::Symmetric)?;
    let order = if side == Side::Left { m } else { n };
    let (a, b) = (form.of(call.matrix(7, order, order)?), call.matrix(9, m, n)?);
    let triangle = if form == Form::Plain { triangle } else { triangle.other() };
    match side {
        Side::Left => routine(triangle, diagonal, alpha, a, b),
        Side::Right => routine(triangle.other(), diagonal, alpha, a.transposed(), b.transposed()),
    }
    Ok(())
}

/// `M N A LDA IPIV INFO`
fn getrf<T: Scalar>(call: &Call) -> Outcome {
    let (m, n) = (call.dimension(0)?, call.dimension(1)?);
    let a = call.matrix::<T>(2, m, n)?;
    let to = call.at(4, 4 * m.min(n) as u64, "IPIV")?;
    let info = call.at(5, 4, "INFO")?;
    // Its copy of eight columns; other threads of the rank may make theirs at the same time.
    let bytes = 8 * m * size_of::<T>() + 12 * m.min(n);
    let _held = call.account.charge(bytes, "a factorisation").map_err(|_| Refusal::Declined)?;
    let mut pivots = vec![0; m.min(n)];
    let outcome = rankine_math::getrf(a, &mut pivots);
    let rows: Vec<[u8; 4]> = pivots.iter().map(|&row| (row as i32 + 1).to_le_bytes()).collect();
    let bytes = rows.as_flattened();
    // SAFETY: four bytes for each pivot are in the memory.
    unsafe { copy::copy(to, bytes.as_ptr(), bytes.len()) };
    tell(info, outcome);
    Ok(())
}

/// `UPLO N A LDA INFO`
fn potrf<T: Scalar>(call: &Call) -> Outcome {
    let (triangle, n) = (call.triangle(0)?, call.dimension(1)?);
    let a = call.matrix::<T>(2, n, n)?;
    let info = call.at(4, 4, "INFO")?;
    tell(info, rankine_math::potrf(triangle, a));
    Ok(())
}

/// Stores what came of a factorisation at a proved place for it.
fn tell(info: *mut u8, outcome: Result<(), usize>) {
    let number = outcome.err().map_or(0, |number| number as i32);
    // SAFETY: four bytes are in the memory there.
    unsafe { copy::copy(info, number.to_le_bytes().as_ptr(), 4) };
}
