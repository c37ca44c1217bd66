// SPDX-License-Identifier: MIT
#include <md5.h>
#include <sha1.h>
#include <sha2.h>
