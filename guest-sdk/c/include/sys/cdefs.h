/* The macros around C declarations that BSD and GNU headers use. */
#ifndef RANKINE_SYS_CDEFS_H
#define RANKINE_SYS_CDEFS_H

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif

#define __THROW
#define __P(arguments) arguments
#define __CONCAT(a, b) a##b
#define __STRING(text) #text

#endif
