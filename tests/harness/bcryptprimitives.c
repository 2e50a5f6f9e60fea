// What Rust's library asks Windows for random bytes: wine 8.0 has no library of this name.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length)
{
    while (length > 0) {
        ULONG some = length < 4096 ? (ULONG)length : 4096;
        if (!RtlGenRandom(bytes, some))
            return FALSE;
        bytes += some;
        length -= some;
    }
    return TRUE;
}
