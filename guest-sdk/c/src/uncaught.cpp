// What an exception is that nothing caught: the host asks, and shows it. Without headers of the C++ library, as this is
// compiled whether or not there is one.
namespace std {
class exception {
public:
	virtual ~exception() noexcept;
	virtual const char *what() const noexcept;
};
} // namespace std

/// The beginning of `std::type_info`, as every compiler of C++ for WebAssembly lays it out.
struct Type {
	const void *functions;
	const char *name;
};

struct Words {
	/// The type's name, mangled.
	const char *type;
	const char *what;
};

/// The linker puts ours before the C++ library's (--wrap), so that programs that throw have the function below, and no
/// others.
extern "C" [[noreturn]] void __real___cxa_throw(void *, Type *, void *(*)(void *));
extern "C" [[noreturn]] void __wrap___cxa_throw(void *thrown, Type *type, void *(*destroy)(void *)) {
	__real___cxa_throw(thrown, type, destroy);
}

extern "C" void *__cxa_begin_catch(void *) noexcept;
extern "C" Type *__cxa_current_exception_type() noexcept;

extern "C" __attribute__((export_name("rankine_uncaught"))) const Words *rankine_uncaught(void *thrown) {
	static Words words;
	__cxa_begin_catch(thrown);
	words = {__cxa_current_exception_type()->name, ""};
	try {
		throw;
	} catch (const std::exception &exception) {
		words.what = exception.what();
	} catch (const char *text) {
		words.what = text;
	} catch (...) {
	}
	return &words;
}
