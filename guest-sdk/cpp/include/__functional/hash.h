// std::hash of what has 4 and 8 bytes. libc++ hashes numbers longer than a size_t, which has 32 bits here but for -m64, and
// pointers by a function of its library, byte by byte: here small numbers are their own hash, as they are where a size_t has 64
// bits, and the others are one multiplication (Knuth, The Art of Computer Programming, volume 3, section 6.4).
#include <__config>

// Only that of the version that was tried: these are its own names.
#if _LIBCPP_VERSION >= 220000 && _LIBCPP_VERSION < 230000 && !defined(_LIBCPP_CXX03_LANG) && !defined(RANKINE_HASH_H)
#define RANKINE_HASH_H

#define __hash_memory __rankine_hash_memory
#include_next <__functional/hash.h>
#undef __hash_memory

_LIBCPP_BEGIN_NAMESPACE_STD

[[__gnu__::__pure__]] _LIBCPP_EXPORTED_FROM_ABI size_t __hash_memory(_LIBCPP_NOESCAPE const void*, size_t) _NOEXCEPT;

inline size_t __rankine_hash_memory(_LIBCPP_NOESCAPE const void* __bytes, size_t __size) _NOEXCEPT {
  unsigned long long __bits = 0;
  if (__size != 4 && __size != 8)
    return std::__hash_memory(__bytes, __size);
  __builtin_memcpy(&__bits, __bytes, __size);
  // A product's bits know only those below them, and what doubles have is above.
  __bits ^= __bits >> 32;
  return static_cast<size_t>((__bits * 0x9e3779b97f4a7c15u) >> 32);
}

#if __SIZEOF_SIZE_T__ < 8
template <class _Tp>
struct __rankine_number_hash : __unary_function<_Tp, size_t> {
  _LIBCPP_HIDE_FROM_ABI size_t operator()(_Tp __number) const _NOEXCEPT {
    // The upper half of a small number, if it is negative too, says nothing.
    size_t __lower = static_cast<size_t>(__number);
    size_t __upper = static_cast<size_t>(static_cast<unsigned long long>(__number) >> 32);
    size_t __sign  = _Tp(-1) < _Tp(0) && __number < 0 ? size_t(-1) : 0;
    return __lower ^ (__upper ^ __sign) * 0x9e3779b1u;
  }
};

template <>
struct __hash_impl<long long> : __rankine_number_hash<long long> {};

template <>
struct __hash_impl<unsigned long long> : __rankine_number_hash<unsigned long long> {};
#endif

_LIBCPP_END_NAMESPACE_STD

#else
#include_next <__functional/hash.h>
#endif
