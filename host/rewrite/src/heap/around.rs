//! The functions around those of the allocator and of MPI, as they are written.
//!
//! The host is asked in addresses of 32 bits, as the memory has them. Where a program's 64-bit addresses were lowered, its
//! allocator has kept words of 64 bits: a size or an address that 32 bits can't hold is told to the host as the largest that they
//! can, which is refused as a size, and where no block begins.

use wasm_encoder::{BlockType, Function, Instruction, MemArg, ValType};
use wasmparser::FuncType;

use super::{ASK, FREED, GOT, LENGTH, LOOK};

/// How wide sizes and addresses are in calls of the allocator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word {
    Narrow,
    Wide,
}

impl Word {
    /// As `malloc` has them.
    pub(super) fn of(malloc: &FuncType) -> Word {
        match (malloc.params(), malloc.results()) {
            ([wasmparser::ValType::I64], [wasmparser::ValType::I64]) => Word::Wide,
            _ => Word::Narrow,
        }
    }

    /// Whether a function takes so many of them, and nothing else.
    pub(super) fn is_all_of(self, kind: &FuncType, parameters: usize) -> bool {
        let word = match self {
            Word::Narrow => wasmparser::ValType::I32,
            Word::Wide => wasmparser::ValType::I64,
        };
        kind.params().len() == parameters && kind.params().iter().all(|parameter| *parameter == word)
    }
}

/// How a function asks the host.
#[derive(Clone, Copy)]
pub(super) struct Hooks {
    /// The type of the question how much room a block gets; that of the others stands behind it.
    pub(super) kind: u32,
    pub(super) table: u32,
}

/// A function around one that has this number.
pub(super) struct Around {
    function: u32,
    word: Word,
    hooks: Hooks,
    body: Function,
}

impl Around {
    /// One that has so many numbers of 32 bits beside its parameters.
    pub(super) fn new(function: u32, word: Word, hooks: Hooks, numbers: u32) -> Around {
        Around { function, word, hooks, body: Function::new([(numbers, ValType::I32)]) }
    }

    pub(super) fn malloc(mut self) -> Function {
        self.add(&[Instruction::I32Const(1)]).size(0).take()
    }

    pub(super) fn calloc(mut self) -> Function {
        // One, of so many bytes. A product of two numbers of 32 bits fits into 64.
        self.word(1).add(&[Instruction::I32Const(1)]).size(0).size(1).add(&[Instruction::I64Mul]).take()
    }

    pub(super) fn aligned_alloc(mut self) -> Function {
        self.add(&[Instruction::LocalGet(0)]).narrow(0).size(1).take()
    }

    pub(super) fn posix_memalign(mut self) -> Function {
        use Instruction::{Call, I32Eqz, If, LocalGet, LocalTee};
        const FAILED: u32 = 3;
        let word = MemArg { offset: 0, align: if self.word == Word::Wide { 3 } else { 2 }, memory_index: 0 };
        let (load, store) = match self.word {
            Word::Narrow => (Instruction::I32Load(word), Instruction::I32Store(word)),
            Word::Wide => (Instruction::I64Load(word), Instruction::I64Store(word)),
        };
        let call = [Call(self.function), LocalTee(FAILED), I32Eqz, If(BlockType::Empty)];
        self.add(&[LocalGet(0), LocalGet(1)]).narrow(1).size(2).ask(ASK).widen().add(&call);
        // The function has written there, so it is an address.
        self.narrow(0).narrow(0).add(&[load]).cut().ask(GOT).widen();
        self.add(&[store, Instruction::End, LocalGet(FAILED)]).end()
    }

    /// A new block, into which the old one is copied. Blocks that the host does not know go to the allocator.
    pub(super) fn realloc(mut self, malloc: u32, free: u32) -> Function {
        use Instruction::{Call, End, I32Const, I32Eq, I32LtU, If, LocalGet, LocalTee, MemoryCopy, Return, Select};
        const LONG: u32 = 2;
        const NEW: u32 = 3;
        let function = Call(self.function);
        self.narrow(0).ask(LENGTH).add(&[LocalTee(LONG), I32Const(-1), I32Eq, If(BlockType::Empty)]);
        self.add(&[LocalGet(0), LocalGet(1), function, Return, End]);
        self.add(&[LocalGet(1), Call(malloc)]).cut().add(&[LocalTee(NEW), If(BlockType::Empty)]);
        self.add(&[LocalGet(NEW)]).narrow(0);
        self.add(&[LocalGet(LONG)]).narrow(1).add(&[LocalGet(LONG)]).narrow(1).add(&[I32LtU, Select]);
        self.add(&[MemoryCopy { src_mem: 0, dst_mem: 0 }, LocalGet(0), Call(free), End]);
        self.add(&[LocalGet(NEW)]).widen().end()
    }

    /// What is no block of the host's knowledge goes to the allocator as it was given.
    pub(super) fn free(mut self) -> Function {
        use Instruction::{Call, I32Eq, LocalGet, LocalSet, Select};
        const BACK: u32 = 1;
        let function = Call(self.function);
        self.narrow(0).ask(FREED).add(&[LocalSet(BACK), LocalGet(0), LocalGet(BACK)]).widen();
        self.add(&[LocalGet(BACK)]).narrow(0).add(&[I32Eq, Select, function]).end()
    }

    /// A function before which the host looks at the heap.
    pub(super) fn looking(mut self, parameters: u32) -> Function {
        let function = Instruction::Call(self.function);
        self.add(&[Instruction::I32Const(0)]).ask(LOOK).add(&[Instruction::Drop]);
        (0..parameters).for_each(|parameter| {
            self.add(&[Instruction::LocalGet(parameter)]);
        });
        self.add(&[function]).end()
    }

    /// The end of a function that gives a block: the host is asked how much room it gets, and told where it is.
    fn take(&mut self) -> Function {
        let function = Instruction::Call(self.function);
        self.ask(ASK).widen().add(&[function]).cut().ask(GOT).widen().end()
    }

    fn add(&mut self, instructions: &[Instruction<'_>]) -> &mut Around {
        instructions.iter().for_each(|instruction| {
            self.body.instruction(instruction);
        });
        self
    }

    fn end(&mut self) -> Function {
        self.add(&[Instruction::End]);
        std::mem::replace(&mut self.body, Function::new([]))
    }

    /// Asks the host.
    fn ask(&mut self, hook: u32) -> &mut Around {
        let Hooks { kind, table } = self.hooks;
        let type_index = kind + u32::from(hook != ASK);
        self.add(&[Instruction::I32Const(hook as i32), Instruction::CallIndirect { type_index, table_index: table }])
    }

    /// A number, as the allocator takes it.
    fn word(&mut self, number: u32) -> &mut Around {
        self.add(&[match self.word {
            Word::Narrow => Instruction::I32Const(number.cast_signed()),
            Word::Wide => Instruction::I64Const(number.into()),
        }])
    }

    /// A word that the function was given, in 64 bits: the largest that 32 bits can hold if it is larger.
    fn size(&mut self, parameter: u32) -> &mut Around {
        use Instruction::{I64Const, I64ExtendI32U, I64LtU, LocalGet, Select};
        let most = I64Const(u32::MAX.into());
        match self.word {
            Word::Narrow => self.add(&[LocalGet(parameter), I64ExtendI32U]),
            Word::Wide => self.add(&[LocalGet(parameter), most.clone(), LocalGet(parameter), most, I64LtU, Select]),
        }
    }

    /// That word in 32 bits.
    fn narrow(&mut self, parameter: u32) -> &mut Around {
        match self.word {
            Word::Narrow => self.add(&[Instruction::LocalGet(parameter)]),
            Word::Wide => self.size(parameter).cut(),
        }
    }

    /// What the allocator gives becomes an address of the memory, which has no other ones.
    fn cut(&mut self) -> &mut Around {
        match self.word {
            Word::Narrow => self,
            Word::Wide => self.add(&[Instruction::I32WrapI64]),
        }
    }

    /// What the host gives becomes a word of the allocator's.
    fn widen(&mut self) -> &mut Around {
        match self.word {
            Word::Narrow => self,
            Word::Wide => self.add(&[Instruction::I64ExtendI32U]),
        }
    }
}
