// SPDX-License-Identifier: MIT
#include <stdint.h>

// Swift compares the lanes of a vector, but cannot make one bit of each of them, for which processors have an
// instruction. These vectors are Clang's own, so this is the same for every processor.
typedef signed char PGBytes64 __attribute__((ext_vector_type(64)));
typedef _Bool PGBits64 __attribute__((ext_vector_type(64)));

/// A bit for each of 64 bytes, the first in the lowest, that is `"`, a backslash, a control character or not ASCII.
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
