"""For gdb: pointers and references of a guest, and the ranks of a job.

A guest's pointer is an offset into its memory, and Wasmtime describes it as a structure. With this, *p, p->member and
p[index] mean in an expression what they mean in the program, and a pointer is printed as one.

    print $host(p)     the address of what a guest's pointer points to, as an ordinary pointer of this process
    rank N             select the thread of rank N
"""

import re

import gdb
import gdb.xmethod

POINTER = re.compile(r"^WebAssembly(Ptr|Ref)Wrapper<")
# Bytes of a string that are shown; after them there are dots.
LONGEST = 200

# Where memories begin that the description does not tell of, by the address of what it does tell of.
known = {}


def memory(may_ask=True):
    """Where the memory of the selected frame's guest begins."""
    frame = gdb.selected_frame()
    while frame is not None:
        try:
            context = frame.read_var("__vmctx")
            break
        except (ValueError, gdb.error):
            frame = frame.older()
    else:
        raise gdb.GdbError("no frame of the program is selected: its memory is not known")
    if "memory" in [field.name for field in context.type.target().fields()]:
        return context["memory"]
    # Programs with threads import theirs. It never moves.
    address = int(context)
    if address not in known:
        if not may_ask:
            raise gdb.GdbError("it has not been asked yet where the program's memory is")
        known[address] = asked(address)
    return known[address]


def builtin(name):
    """A function of Wasmtime's for debuggers: its name ends with the version."""
    found = re.search(name + r"\w*", gdb.execute("info functions ^" + name, to_string=True).split("\n", 1)[1])
    if not found:
        raise gdb.GdbError("this rankine has no function %s: where the program's memory is can't be asked" % name)
    return found[0]


def asked(context):
    """Has Wasmtime say where a memory begins. Other threads stand still meanwhile."""
    take, resolve = builtin("wasmtime_set_vmctx_memory"), builtin("wasmtime_resolve_vmctx_memory_ptr")
    settings = [(name, gdb.parameter(name)) for name in ("scheduler-locking", "language")]
    gdb.execute("set scheduler-locking on", to_string=True)
    gdb.execute("set language c", to_string=True)
    try:
        gdb.parse_and_eval("((void (*)(unsigned long)) %s)(%dUL)" % (take, context))
        # It adds the word that lies at an address: any will do.
        sum = gdb.parse_and_eval("((unsigned char *(*)(unsigned long)) %s)(%dUL)" % (resolve, context))
        return sum - int(gdb.parse_and_eval("*(unsigned int *) %dUL" % context))
    finally:
        for name, value in settings:
            gdb.execute("set %s %s" % (name, value), to_string=True)


def is_guest_frame(frame):
    try:
        frame.read_var("__vmctx")
    except (ValueError, gdb.error):
        return False
    return True


def is_guest_pointer(type):
    return type.code == gdb.TYPE_CODE_STRUCT and POINTER.match(type.name or "") is not None


def pointed(type):
    """What a pointer points to: the type without its names; for `void`, bytes."""
    try:
        return type.template_argument(0)
    except (RuntimeError, gdb.error):
        return gdb.lookup_type("unsigned char")


def named(type):
    """What the source calls the type."""
    if not is_guest_pointer(type):
        return str(type)
    target, mark = named(pointed(type)), "*" if "Ptr" in type.name else "&"
    return target + mark if target.endswith("*") else target + " " + mark


def host(pointer, may_ask=True):
    """The pointer as one of this process."""
    type = pointer.type.strip_typedefs()
    if not is_guest_pointer(type):
        raise gdb.GdbError("that is not a guest's pointer but a " + str(pointer.type))
    return (memory(may_ask) + int(pointer["__ptr"])).cast(pointed(type).pointer())


class Host(gdb.Function):
    """$host(p): the address of what a guest's pointer points to, as an ordinary pointer."""

    def __init__(self):
        super().__init__("host")

    def invoke(self, pointer):
        return host(pointer)


class Rank(gdb.Command):
    """Select the thread of a rank: rank N."""

    def __init__(self):
        super().__init__("rank", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        name = "rank " + argument.strip()
        for thread in gdb.selected_inferior().threads():
            if thread.name == name:
                gdb.execute("thread %d" % thread.num, from_tty)
                return
        raise gdb.GdbError("there is no thread of %s here; `info threads` shows what there is" % name)


class Printer:
    """A pointer: its number, and the text that it points to."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            number = int(self.value["__ptr"])
        except gdb.error as unknown:
            return "<%s>" % unknown
        target = pointed(self.value.type.strip_typedefs())
        shown = "(%s) %#x" % (named(self.value.type.strip_typedefs()), number)
        plain = target.unqualified().strip_typedefs()
        if number == 0 or plain.code != gdb.TYPE_CODE_INT or plain.name not in ("char", "signed char", "unsigned char"):
            return shown
        try:
            # What is printed may be a stack, which must not run meanwhile.
            text = int(host(self.value, may_ask=False))
            read = bytes(gdb.selected_inferior().read_memory(text, LONGEST))
        except (gdb.error, gdb.GdbError):
            return shown
        text, end, _ = read.partition(b"\0")
        return '%s "%s"%s' % (shown, text.decode("utf-8", "replace"), "" if end else "...")


class Program:
    """A stack without what called the program: Wasmtime and Rankine. `bt -no-filters` shows them."""

    name, enabled, priority = "rankine", True, 100

    def filter(self, frames):
        for frame in frames:
            yield frame
            if frame.function() == "_start" and is_guest_frame(frame.inferior_frame()):
                return


class WithFunctions:
    """An object of a class with virtual functions: gdb takes the pointer to their table for one of its own."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return None if any(self.children()) else "{}"

    def children(self):
        for field in self.value.type.strip_typedefs().fields():
            if hasattr(field, "bitpos") and not (field.name or "").startswith("_vptr"):
                yield ("<%s>" % field.name if field.is_base_class else field.name), self.value[field]


def has_functions(type):
    if type.code != gdb.TYPE_CODE_STRUCT:
        return False
    fields = type.fields()
    return any(
        (field.name or "").startswith("_vptr") or field.is_base_class and has_functions(field.type.strip_typedefs())
        for field in fields
    )


class Worker(gdb.xmethod.XMethodWorker):
    """*p, p->member, p[index] and p.ptr()."""

    def __init__(self, name, target):
        self.name, self.target = name, target

    def get_arg_types(self):
        return [gdb.lookup_type("int")] if self.name == "operator[]" else []

    def get_result_type(self, *arguments):
        return self.target if self.name in ("operator*", "operator[]") else self.target.pointer()

    def __call__(self, this, *index):
        pointer = host(this.dereference() if this.type.code == gdb.TYPE_CODE_PTR else this)
        if self.name == "operator*":
            return pointer.dereference()
        return pointer[int(index[0])] if index else pointer


class Matcher(gdb.xmethod.XMethodMatcher):
    """Finds them for every type of pointer."""

    NAMES = ("operator*", "operator->", "operator[]", "ptr")

    def __init__(self):
        super().__init__("rankine")
        self.methods = [gdb.xmethod.XMethod(name) for name in self.NAMES]

    def match(self, type, name):
        type = type.strip_typedefs()
        if name in self.NAMES and is_guest_pointer(type):
            return Worker(name, pointed(type))
        return None


def printer_of(value):
    type = value.type.strip_typedefs()
    if is_guest_pointer(type):
        return Printer(value)
    return WithFunctions(value) if has_functions(type) else None


def suit(event):
    """gdb asks for what is in this file only in expressions of C++."""
    try:
        frame = gdb.selected_frame()
        is_c = frame.language() == "c" and is_guest_frame(frame)
    except (gdb.error, AttributeError):
        return
    gdb.execute("set language " + ("c++" if is_c else "auto"), to_string=True)


Host()
Rank()
gdb.events.stop.connect(suit)
gdb.events.exited.connect(lambda event: known.clear())
gdb.pretty_printers.append(printer_of)
gdb.frame_filters["rankine"] = Program()
gdb.xmethod.register_xmethod_matcher(None, Matcher(), replace=True)
# What gdb starts need not say that this file should be loaded.
gdb.execute("set environment RANKINE_GDB 1")
# The source may name functions that are compiled only once the program is loaded.
gdb.execute("set breakpoint pending on")
