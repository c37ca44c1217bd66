// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Writes a bit for each byte of a text, that of the first byte in the lowest: 1 for `"`, a backslash, a control
/// character, and a byte that is not ASCII.
///
/// `bytes` needs no alignment; 64 bytes must be readable for each word.
void pg_mark_unusual_bytes(const void *bytes, size_t count, uint64_t *words);
