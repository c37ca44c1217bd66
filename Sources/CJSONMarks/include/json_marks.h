// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Writes one bit for each byte of a text: 1 for `"`, a backslash, a control character or a byte that is not ASCII,
/// otherwise 0. The first byte of the text has the lowest bit of the first word.
///
/// `count` is the number of words. `bytes` needs no alignment, but must have 64 readable bytes for each word.
void pg_mark_unusual_bytes(const void *bytes, size_t count, uint64_t *words);
