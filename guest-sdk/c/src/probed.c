/* Names for whoever asks whether there are such functions, and never calls them: they are macros of a header, or instructions.
 * No program is linked with these (host/toolchain/src/cc/probe.rs). */
#pragma clang diagnostic ignored "-Wincompatible-library-redeclaration"

#define PROBED(name) __attribute__((__weak__)) void probed_##name(void) __asm__(#name); void probed_##name(void) {}

PROBED(setjmp)
PROBED(_setjmp)
PROBED(longjmp)
PROBED(_longjmp)
PROBED(siglongjmp)
PROBED(sigsetjmp)
PROBED(isnan)
PROBED(isinf)
PROBED(isfinite)
PROBED(isnormal)
PROBED(signbit)
PROBED(fpclassify)
