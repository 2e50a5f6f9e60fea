/*
 * Vectors of x86 are instructions of another machine. One error says so; clang's own header would go on to hundreds.
 */
#pragma clang diagnostic fatal "-W#warnings"
#warning "vectors of x86 don't exist in WebAssembly: use wasm_simd128.h (128 bits), or leave them out for this target (__wasm__)"
