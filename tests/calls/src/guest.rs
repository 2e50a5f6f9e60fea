//! The guest: an interpreter of [`Program`](crate::Program)s, made of the catalogue.
//!
//! Every function has a wrapper of the same type, which reads its arguments from the program and says where the next
//! call begins; the interpreter calls wrappers by number. So whatever is called is called directly, with its own type.

use rankine_abi::{Meaning, ValueType};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, CustomSection, DataCountSection, DataSection, ElementSection, Elements,
    EntityType, ExportKind, ExportSection, Function, FunctionSection, GlobalSection, GlobalType, ImportSection,
    Instruction, MemArg, MemorySection, MemoryType, Module, RefType, TableSection, TableType, TypeSection, ValType,
};

use crate::catalogue::{Callee, Catalogue, Helper, Origin};
use crate::interpreter::{Own, own_functions};
use crate::memory::{self, ARGUMENTS, LONG_PAGES, MAX_PAGES, NUMBERS, PAGES, PROGRAM, SECOND, WORDS};
use crate::program::ARGUMENT;
use crate::telling::tell;

/// The types of callbacks: a letter for each word they take (`i` an int, `l` one of 64 bits, `w` one that is as wide as an address),
/// and whether they return an int.
const CALLBACKS: &[(&str, bool)] = &[
    ("w", true),
    ("ww", true),
    ("www", true),
    ("wiww", true),
    ("wiwwww", true),
    ("www", false),
    ("wwww", false),
    ("wwiwlw", true),
    ("wwlwlw", true),
    ("lwiiw", false),
    ("w", false),
    ("wi", true),
    ("wwiw", false),
];

/// The index of the callback that suits a C type, in the function table.
pub fn callback(catalogue: &Catalogue, c_type: &str) -> u32 {
    let of = |position: u32| 1 + catalogue.functions.len() as u32 + position;
    of(match c_type {
        "MPI_Grequest_free_function" | "allocator" => 0,
        "MPI_Grequest_query_function" => 1,
        "MPI_Datarep_extent_function" => 2,
        name if name.ends_with("delete_attr_function") || name == "MPI_Delete_function" => 3,
        name if name.ends_with("copy_attr_function") || name == "MPI_Copy_function" => 4,
        name if name.ends_with("errhandler_function") => 5,
        "MPI_User_function" | "MPI_User_function_c" => 6,
        "MPI_Datarep_conversion_function" => 7,
        "MPI_Datarep_conversion_function_c" => 8,
        "MPI_T_event_dropped_cb_function" => 9,
        "MPI_Grequest_cancel_function" => 11,
        "MPI_T_event_cb_function" => 12,
        _ => 5,
    })
}

/// How many entries the function table has.
pub fn table_size(catalogue: &Catalogue) -> u32 {
    1 + (catalogue.functions.len() + CALLBACKS.len()) as u32
}

fn valtype(value: ValueType) -> ValType {
    match value {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F64 => ValType::F64,
    }
}

/// The types of a function's parameters, as a program with 64-bit addresses knows them or another.
fn parameters(callee: &Callee, is_wide: bool) -> Vec<ValType> {
    let mut types: Vec<ValType> = callee.parameters.iter().map(|&(value, _)| valtype(value)).collect();
    let function = rankine_abi::Function::named(&callee.name).filter(|_| is_wide);
    let described = function.map_or(&[][..], |function| function.described());
    for (ty, word) in types.iter_mut().zip(described) {
        let is_large = function.is_some_and(|function| function.is_large());
        let is_handle = matches!(word.meaning, Meaning::Handle(_) | Meaning::Function);
        if is_handle || word.is_address() || word.is_long_in_lp64(is_large) {
            *ty = ValType::I64;
        }
    }
    types
}

pub(crate) const AT: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };
/// Of a word that threads wait for.
const ALIGNED: MemArg = MemArg { align: 2, ..AT };
/// Words of the interpreter's own: its rank, the level of threads, how many arguments it has and how long they are, the
/// communicator with its parents, and where a second thread says that it has begun, and that it is through.
const NUMBER: i32 = WORDS as i32 + 8;
const LEVEL: i32 = WORDS as i32 + 12;
const COUNT: i32 = WORDS as i32 + 16;
const LENGTH: i32 = WORDS as i32 + 20;
const PARENT: i32 = WORDS as i32 + 32;
const BEGUN: i32 = WORDS as i32 + 24;
const THROUGH: i32 = WORDS as i32 + 28;
/// The rank's own number.
pub(crate) const RANK: u32 = 0;
/// Callbacks that are still to be made, and where the next one's program is.
pub(crate) const LEFT: u32 = 1;
pub(crate) const NEXT: u32 = 2;
/// How deep callbacks are nested.
pub(crate) const DEPTH: u32 = 3;
/// How often repeated calls were made before.
pub(crate) const TURN: u32 = 4;
const GLOBALS: u32 = 5;

/// The type of what it gives: an `MPI_Aint` and a handle are as wide as addresses.
fn result(callee: &Callee, is_wide: bool) -> Option<ValType> {
    let is_word = callee.name.starts_with("MPI_Aint_") || callee.name.ends_with("_fromint");
    callee.result.map(|result| if is_wide && is_word { ValType::I64 } else { valtype(result) })
}

/// Builds the module part by part.
#[derive(Default)]
pub(crate) struct Builder {
    types: TypeSection,
    imports: ImportSection,
    imported: u32,
    functions: FunctionSection,
    code: CodeSection,
    declared: u32,
    /// Its memory has 64-bit addresses.
    is_wide: bool,
}

impl Builder {
    fn of_type(&mut self, parameters: &[ValType], results: &[ValType]) -> u32 {
        let index = self.types.len();
        self.types.ty().function(parameters.iter().copied(), results.iter().copied());
        index
    }

    fn import(&mut self, module: &str, name: &str, parameters: &[ValType], results: &[ValType]) -> u32 {
        let ty = self.of_type(parameters, results);
        self.imports.import(module, name, EntityType::Function(ty));
        self.imported += 1;
        self.imported - 1
    }

    /// Adds a function; imports come first, so none may follow.
    pub(crate) fn function(
        &mut self,
        parameters: &[ValType],
        results: &[ValType],
        locals: u32,
        body: &[Instruction],
    ) -> u32 {
        let ty = self.of_type(parameters, results);
        self.functions.function(ty);
        let mut function = Function::new([(locals, ValType::I32), (1, ValType::I32), (1, ValType::I64)]);
        let first = parameters.len() as u32 + locals;
        for instruction in body {
            match self.is_wide {
                true => widened(&mut function, instruction, [first, first + 1]),
                false => _ = function.instruction(instruction),
            }
        }
        function.instruction(&Instruction::End);
        self.code.function(&function);
        self.declared += 1;
        self.imported + self.declared - 1
    }
}

/// Adds an instruction whose address has 32 bits to a function of a guest whose addresses have 64. Two locals are its own, for a word
/// of 32 bits and one of 64.
fn widened(function: &mut Function, instruction: &Instruction, [word, long]: [u32; 2]) {
    use Instruction as I;
    let stored = match instruction {
        I::I32Load(_) | I::I32Load8U(_) | I::I32Load16U(_) | I::I64Load(_) | I::I64Load32S(_) => {
            function.instruction(&I::I64ExtendI32U);
            None
        }
        I::I32Store(_) | I::I32Store8(_) => Some(word),
        I::I64Store(_) => Some(long),
        I::MemoryGrow(_) => {
            function.instruction(&I::I64ExtendI32U).instruction(instruction).instruction(&I::I32WrapI64);
            return;
        }
        // What is brought, and how much.
        I::MemoryInit { .. } => {
            function.instruction(&I::LocalSet(word)).instruction(&I::Drop).instruction(&I::I64ExtendI32U);
            function.instruction(&I::I32Const(0)).instruction(&I::LocalGet(word));
            None
        }
        _ => None,
    };
    if let Some(local) = stored {
        function.instruction(&I::LocalSet(local)).instruction(&I::I64ExtendI32U).instruction(&I::LocalGet(local));
    }
    function.instruction(instruction);
}

/// What a guest has besides the interpreter.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Each rank has a second thread, at this level, which runs the next rank's program.
    Threads(i32),
    /// Long arguments in its memory.
    Long,
    /// Addresses of 64 bits, and so many pages at most.
    Wide(u64),
    /// It prints a line for each call: the number of the function, and the class of the error that it has returned.
    Telling,
}

impl Kind {
    /// Whether its memory ends where addresses of 32 bits do.
    fn is_small(self) -> bool {
        !matches!(self, Kind::Wide(most) if most > 1 << 16)
    }

    /// One whose addresses are lowered.
    pub const WIDE: Kind = Kind::Wide(MAX_PAGES);
    /// One whose memory may have more than 4 GiB.
    pub const LARGE: Kind = Kind::Wide(1 << 17);
}

/// The module that runs programs whose calls are of this catalogue. It imports what `has` says that the engine has.
pub fn module(catalogue: &Catalogue, has: impl Fn(&Callee) -> bool, kind: Kind) -> Vec<u8> {
    use Instruction as I;
    let threads = if let Kind::Threads(level) = kind { Some(level) } else { None };
    let is_wide = matches!(kind, Kind::Wide(_));
    let mut b = Builder { is_wide, ..Builder::default() };
    if threads.is_some() {
        b.imports.import("env", "memory", EntityType::Memory(memory(kind)));
    }
    // Object graphs lie where 32 bits lead.
    let there = |callee: &Callee| has(callee) && (kind.is_small() || callee.origin != Origin::Module("rankine"));
    let mut imports = Vec::new();
    for callee in &catalogue.functions {
        let results: Vec<ValType> = result(callee, is_wide).into_iter().collect();
        let parameters = parameters(callee, is_wide);
        imports.push(match callee.origin {
            Origin::Module(module) if there(callee) => Some(b.import(module, &callee.name, &parameters, &results)),
            _ => None,
        });
    }
    let sizes = b.import("wasi_snapshot_preview1", "args_sizes_get", &[ValType::I32; 2], &[ValType::I32]);
    let get = b.import("wasi_snapshot_preview1", "args_get", &[ValType::I32; 2], &[ValType::I32]);
    let spawn = threads.map(|level| (level, b.import("wasi", "thread-spawn", &[ValType::I32], &[ValType::I32])));
    let import_of =
        |name: &str| imports[catalogue.position(name).expect("a function of MPI")].expect("engines have it");
    let write = (kind == Kind::Telling)
        .then(|| b.import("wasi_snapshot_preview1", "fd_write", &[ValType::I32; 4], &[ValType::I32]));
    let wrapper = b.of_type(&[ValType::I32], &[ValType::I32]);
    let own = own_functions(&mut b, wrapper);
    let tell = write.map(|write| tell(&mut b, write, import_of("MPI_Error_class")));
    let first = b.imported + b.declared;
    for (number, (callee, import)) in (0..).zip(catalogue.functions.iter().zip(&imports)) {
        wrap(&mut b, own, callee, *import, tell.filter(|_| callee.returns_code).map(|tell| (tell, number)));
    }
    for (words, returns) in CALLBACKS {
        let word = |letter| if letter == 'l' || letter == 'w' && is_wide { ValType::I64 } else { ValType::I32 };
        let parameters: Vec<ValType> = words.chars().map(word).collect();
        let results: &[ValType] = if *returns { &[ValType::I32] } else { &[] };
        let body = [I::Call(own.call_back), I::I32Const(0)];
        b.function(&parameters, results, 0, &body[..1 + usize::from(*returns)]);
    }
    let data = data(kind);
    // Of a function of MPI with these arguments, whose answer nobody looks at.
    let call = |name: &str, words: &[i32]| {
        let callee = &catalogue.functions[catalogue.position(name).expect("a function of MPI")];
        let types = parameters(callee, is_wide);
        let words = types.into_iter().zip(words).map(|(ty, &word)| match ty {
            ValType::I64 => I::I64Const(word.into()),
            _ => I::I32Const(word),
        });
        words.chain([I::Call(import_of(name)), I::Drop]).collect()
    };
    let start = start(&mut b, own, (sizes, get), spawn, call, &data);
    let thread = threads.map(|_| thread(&mut b, own));
    assemble(b, first, table_size(catalogue), (start, thread), (kind, &data))
}

/// What lies in the memory at first.
fn data(kind: Kind) -> Vec<(u32, Vec<u8>)> {
    let mut all = memory::data();
    if kind == Kind::Long {
        all.extend(memory::long_data());
    }
    all
}

/// The module that cases start ranks of: it greets its parents, and ends.
pub fn child() -> Vec<u8> {
    use Instruction as I;
    let mut b = Builder::default();
    let mut import = |name: &str, parameters: usize| {
        b.import(rankine_abi::MODULE, name, &vec![ValType::I32; parameters], &[ValType::I32])
    };
    let (init, parent, send) = (import("MPI_Init", 2), import("MPI_Comm_get_parent", 1), import("MPI_Send", 6));
    let finalize = import("MPI_Finalize", 0);
    let body = [
        I::I32Const(0),
        I::I32Const(0),
        I::Call(init),
        I::Drop,
        I::I32Const(PARENT),
        I::Call(parent),
        I::Drop,
        I::I32Const(NUMBERS as i32),
        I::I32Const(1),
        I::I32Const(INT),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Const(PARENT),
        I::I32Load(AT),
        I::Call(send),
        I::Drop,
        I::Call(finalize),
        I::Drop,
    ];
    let start = b.function(&[], &[], 0, &body);
    assemble(b, start, 1, (start, None), (Kind::Plain, &data(Kind::Plain)))
}

/// Reads a function's arguments from the program, calls it, and says where the next call begins.
fn wrap(b: &mut Builder, own: Own, callee: &Callee, import: Option<u32>, tell: Option<(u32, i32)>) {
    use Instruction as I;
    let mut body = Vec::new();
    let after = (callee.parameters.len() as u32 * ARGUMENT) as i32;
    for (number, ty) in parameters(callee, b.is_wide).into_iter().enumerate() {
        body.extend([I::LocalGet(0), I::I32Const(number as i32 * ARGUMENT as i32), I::I32Add, I::Call(own.value)]);
        match ty {
            ValType::I32 => body.push(I::I32WrapI64),
            ValType::F64 => body.push(I::F64ReinterpretI64),
            _ => {}
        }
    }
    match (callee.origin, import) {
        (_, Some(import)) => body.push(I::Call(import)),
        (Origin::Guest(Helper::Store32), _) => body.push(I::I32Store(AT)),
        (Origin::Guest(Helper::Store64), _) => body.push(I::I64Store(AT)),
        (Origin::Guest(Helper::Grow), _) => body.extend([I::MemoryGrow(0), I::Drop]),
        (Origin::Guest(Helper::Repeat), _) => {
            repeat(b, own, body, after);
            return;
        }
        // This engine lacks it: nothing is called.
        (Origin::Module(_), None) => body.clear(),
    }
    match tell {
        Some((tell, number)) if import.is_some() => body.extend([I::I32Const(number), I::Call(tell)]),
        _ if import.is_some() && callee.result.is_some() => body.push(I::Drop),
        _ => {}
    }
    body.extend([I::LocalGet(0), I::I32Const(after), I::I32Add]);
    b.function(&[ValType::I32], &[ValType::I32], 0, &body);
}

/// Makes the calls behind this one again and again; how often and how many is what `body` leaves on the stack.
fn repeat(b: &mut Builder, own: Own, mut body: Vec<Instruction>, after: i32) {
    use Instruction as I;
    let (times, calls, next) = (1, 2, 3);
    body.extend([I::LocalSet(calls), I::LocalSet(times), I::I32Const(0), I::GlobalSet(TURN)]);
    body.extend([
        I::Loop(BlockType::Empty),
        I::LocalGet(0),
        I::I32Const(after),
        I::I32Add,
        I::LocalGet(calls),
        I::Call(own.run),
        I::LocalSet(next),
        I::GlobalGet(TURN),
        I::I32Const(1),
        I::I32Add,
        I::GlobalSet(TURN),
        I::GlobalGet(TURN),
        I::LocalGet(times),
        I::I32LtU,
        I::BrIf(0),
        I::End,
        I::I32Const(0),
        I::GlobalSet(TURN),
        I::LocalGet(next),
    ]);
    b.function(&[ValType::I32], &[ValType::I32], 3, &body);
}

const WORLD: i32 = 0x101;
const MYSELF: i32 = 0x102;
const RETURN: i32 = 0x143;
const INT: i32 = 0x209;

/// `_start`: errors are returned, and the rank's program is fetched and run.
fn start(
    b: &mut Builder,
    own: Own,
    (sizes, get): (u32, u32),
    spawn: Option<(i32, u32)>,
    call: impl Fn(&str, &[i32]) -> Vec<Instruction<'static>>,
    data: &[(u32, Vec<u8>)],
) -> u32 {
    use Instruction as I;
    let mut body = fill(data);
    body.extend(match spawn {
        None => call("MPI_Init", &[0, 0]),
        Some((level, _)) => call("MPI_Init_thread", &[0, 0, level, LEVEL]),
    });
    body.extend(call("MPI_Comm_set_errhandler", &[WORLD, RETURN]));
    body.extend(call("MPI_Comm_set_errhandler", &[MYSELF, RETURN]));
    body.extend(call("MPI_Comm_rank", &[WORLD, NUMBER]));
    body.extend([
        I::I32Const(NUMBER),
        I::I32Load(AT),
        I::GlobalSet(RANK),
        I::I32Const(COUNT),
        I::I32Const(LENGTH),
        I::Call(sizes),
        I::Drop,
        I::I32Const(ARGUMENTS as i32),
        I::I32Const(ARGUMENTS as i32 + 64),
        I::Call(get),
        I::Drop,
    ]);
    if let Some((_, spawn)) = spawn {
        body.extend(fetch(own, 1, SECOND));
        body.extend([I::I32Const(0), I::Call(spawn), I::I32Const(0), I::I32GeS, I::If(BlockType::Empty)]);
        body.extend(wait_for(BEGUN, 100_000_000));
        body.push(I::End);
    }
    body.extend(fetch(own, 0, PROGRAM));
    body.extend(interpret(own, PROGRAM));
    // The other may also be in the middle of a call when the rank ends.
    if spawn.is_some() {
        body.extend(wait_for(THROUGH, 20_000_000));
    }
    body.extend(call("MPI_Finalize", &[]));
    b.function(&[], &[], 0, &body)
}

/// Puts the data where they belong: only once, though each thread has an instance of its own.
fn fill(data: &[(u32, Vec<u8>)]) -> Vec<Instruction<'static>> {
    use Instruction as I;
    let fill = data.iter().zip(0..).flat_map(|((at, bytes), data_index)| {
        let words = [I::I32Const(*at as i32), I::I32Const(0), I::I32Const(bytes.len() as i32)];
        words.into_iter().chain([I::MemoryInit { mem: 0, data_index }])
    });
    fill.collect()
}

/// Brings a program of those in the arguments: that of the rank so many behind this one, modulo the programs.
fn fetch(own: Own, behind: i32, to: u32) -> Vec<Instruction<'static>> {
    use Instruction as I;
    vec![
        I::GlobalGet(RANK),
        I::I32Const(behind),
        I::I32Add,
        I::I32Const(COUNT),
        I::I32Load(AT),
        I::I32Const(1),
        I::I32Sub,
        I::I32RemU,
        I::I32Const(1),
        I::I32Add,
        I::I32Const(4),
        I::I32Mul,
        I::I32Load(MemArg { offset: ARGUMENTS.into(), ..AT }),
        I::I32Const(to as i32),
        I::Call(own.decode),
    ]
}

/// Runs the program at an address.
fn interpret(own: Own, program: u32) -> Vec<Instruction<'static>> {
    use Instruction as I;
    let program = program as i32;
    vec![
        I::I32Const(program),
        I::I32Load16U(MemArg { offset: 2, ..AT }),
        I::GlobalSet(LEFT),
        I::I32Const(program),
        I::I32Load(MemArg { offset: 4, ..AT }),
        I::I32Const(program),
        I::I32Add,
        I::GlobalSet(NEXT),
        I::I32Const(program + 8),
        I::I32Const(program),
        I::I32Load16U(AT),
        I::Call(own.run),
        I::Drop,
    ]
}

/// Waits for another thread to say something, so many nanoseconds at most.
fn wait_for(word: i32, nanoseconds: i64) -> Vec<Instruction<'static>> {
    use Instruction as I;
    vec![I::I32Const(word), I::I32Const(0), I::I64Const(nanoseconds), I::MemoryAtomicWait32(ALIGNED), I::Drop]
}

/// What a second thread does.
fn thread(b: &mut Builder, own: Own) -> u32 {
    use Instruction as I;
    let tell = |word| {
        [
            I::I32Const(word),
            I::I32Const(1),
            I::I32AtomicStore(ALIGNED),
            I::I32Const(word),
            I::I32Const(1),
            I::MemoryAtomicNotify(ALIGNED),
            I::Drop,
        ]
    };
    let mut body = vec![I::I32Const(NUMBER), I::I32Load(AT), I::GlobalSet(RANK)];
    body.extend(tell(BEGUN));
    body.extend(interpret(own, SECOND));
    body.extend(tell(THROUGH));
    b.function(&[ValType::I32, ValType::I32], &[], 0, &body)
}

fn memory(kind: Kind) -> MemoryType {
    let (minimum, maximum) = match kind {
        Kind::Long => (LONG_PAGES, LONG_PAGES),
        Kind::Wide(most) => (PAGES, most),
        Kind::Plain | Kind::Threads(_) | Kind::Telling => (PAGES, MAX_PAGES),
    };
    let (memory64, shared) = (matches!(kind, Kind::Wide(_)), matches!(kind, Kind::Threads(_)));
    MemoryType { minimum, maximum: Some(maximum), memory64, shared, page_size_log2: None }
}

fn assemble(
    b: Builder,
    first: u32,
    table: u32,
    (start, thread): (u32, Option<u32>),
    (kind, data): (Kind, &[(u32, Vec<u8>)]),
) -> Vec<u8> {
    let mut module = Module::new();
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: table.into(),
        maximum: Some(table.into()),
        shared: false,
    });
    // A shared memory is imported.
    let mut memories = MemorySection::new();
    if thread.is_none() {
        memories.memory(memory(kind));
    }
    let mut globals = GlobalSection::new();
    for _ in 0..GLOBALS {
        let ty = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(ty, &ConstExpr::i32_const(0));
    }
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("__indirect_function_table", ExportKind::Table, 0);
    exports.export("_start", ExportKind::Func, start);
    if let Some(thread) = thread {
        exports.export("wasi_thread_start", ExportKind::Func, thread);
    }
    let mut elements = ElementSection::new();
    let entries: Vec<u32> = (first..start).collect();
    elements.active(Some(0), &ConstExpr::i32_const(1), Elements::Functions(entries.into()));
    let mut segments = DataSection::new();
    for (_, bytes) in data {
        segments.passive(bytes.iter().copied());
    }
    module.section(&b.types).section(&b.imports).section(&b.functions).section(&tables).section(&memories);
    module.section(&globals).section(&exports).section(&elements).section(&DataCountSection { count: segments.len() });
    module.section(&b.code).section(&segments);
    // As wasm-ld's programs have it that were linked by `rankine cc`: nothing lies below.
    module.section(&CustomSection { name: rankine_abi::NULL_PAGE.into(), data: (&[]).into() });
    module.finish()
}
