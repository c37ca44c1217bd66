// SPDX-License-Identifier: MIT
#include <stdint.h>

// Swift can compare the lanes of a vector, but cannot pack the results into one bit for each lane, for which processors
// have instructions. These are Clang's generic vectors, so the same code compiles for every processor.
typedef signed char PGBytes64 __attribute__((ext_vector_type(64)));
typedef _Bool PGBits64 __attribute__((ext_vector_type(64)));

/// A bit for each of 64 bytes, that of the first byte in the lowest: 1 for `"`, a backslash, a control character, and a
/// byte that is not ASCII.
///
/// All 64 bytes must be readable; they need no alignment.
///
/// As signed numbers, control characters and bytes that are not ASCII are all below a space.
static inline uint64_t pg_unusual_bytes(const void *bytes) {
    PGBytes64 vector;
    __builtin_memcpy(&vector, bytes, sizeof vector);
    PGBits64 bits = __builtin_convertvector((vector == '"') | (vector == '\\') | (vector < ' '), PGBits64);
    uint64_t result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}
