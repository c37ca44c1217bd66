// SPDX-License-Identifier: MIT
// The C functions that the libraries for apps use. POSIX names come from the headers of this system; all of them are in
// every version of iOS and macOS that Swift 6 can be compiled for.

// The compiler defines the word for Apple's systems, and the headers use it otherwise.
#undef __nonnull
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Darwin's kinds of files have the type of a mode.
#undef S_IFMT
#undef S_IFREG
#undef S_IFDIR
#undef S_IFLNK
#undef S_IFIFO
#undef S_IFSOCK
#define S_IFMT ((mode_t)0170000)
#define S_IFIFO ((mode_t)0010000)
#define S_IFDIR ((mode_t)0040000)
#define S_IFREG ((mode_t)0100000)
#define S_IFLNK ((mode_t)0120000)
#define S_IFSOCK ((mode_t)0140000)

#define F_FULLFSYNC 51
#define PATH_MAX 1024
