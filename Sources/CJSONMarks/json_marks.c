// SPDX-License-Identifier: MIT
#include "json_marks.h"

// This is C because Swift has no access to the processor instructions that pack the results of a vector comparison into
// one bit for each byte. Clang's generic vectors compile for every processor.
typedef signed char PGBytes64 __attribute__((ext_vector_type(64)));
typedef _Bool PGBits64 __attribute__((ext_vector_type(64)));

// Control characters and bytes that are not ASCII are all less than a space as signed numbers. Big-endian processors
// make the same words as little-endian ones.
__attribute__((always_inline)) static inline void pg_mark_words(const char *bytes, size_t count, uint64_t *words) {
    for (size_t index = 0; index < count; index++) {
        PGBytes64 vector;
        __builtin_memcpy(&vector, bytes + 64 * index, sizeof vector);
        PGBits64 bits = __builtin_convertvector((vector == '"') | (vector == '\\') | (vector < ' '), PGBits64);
        uint64_t word;
        __builtin_memcpy(&word, &bits, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        words[index] = word;
    }
}

#if defined(__x86_64__)
// The same function compiled with AVX2, whose vectors are twice as long; some x86-64 processors do not have it.
__attribute__((target("avx2"))) static void pg_mark_words_avx2(const char *bytes, size_t count, uint64_t *words) {
    pg_mark_words(bytes, count, words);
}
#endif

void pg_mark_unusual_bytes(const void *bytes, size_t count, uint64_t *words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return pg_mark_words_avx2((const char *)bytes, count, words);
#endif
    pg_mark_words((const char *)bytes, count, words);
}
