// SPDX-License-Identifier: MIT
// The C functions and constants that the libraries use, as Apple's systems have them. POSIX's come from the headers of
// this system, without its own extensions; all of them are in every version of iOS and macOS that Swift 6 can be
// compiled for.

#define _XOPEN_SOURCE 700
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#define __sigaction_handler __sigaction_u
#define sa_handler __sa_handler
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// Darwin's kinds of files have the type of a mode, and its clocks one of their own.
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
#undef CLOCK_REALTIME
#undef CLOCK_MONOTONIC
#undef CLOCK_PROCESS_CPUTIME_ID
#undef CLOCK_THREAD_CPUTIME_ID
#define CLOCK_REALTIME ((clockid_t)0)
#define CLOCK_MONOTONIC ((clockid_t)6)
#define CLOCK_PROCESS_CPUTIME_ID ((clockid_t)12)
#define CLOCK_THREAD_CPUTIME_ID ((clockid_t)16)

// Darwin's kinds of sockets are numbers.
#define SOCK_STREAM 1

// Linux's own, which its headers show even so.
#undef MSG_NOSIGNAL
#undef CLOCK_MONOTONIC_RAW
#undef CLOCK_REALTIME_COARSE
#undef CLOCK_MONOTONIC_COARSE
#undef CLOCK_BOOTTIME
#undef CLOCK_REALTIME_ALARM
#undef CLOCK_BOOTTIME_ALARM
#undef CLOCK_TAI

// What Darwin has beyond POSIX.
#undef TIOCGWINSZ
#define TIOCGWINSZ 0x40087468UL
#define F_FULLFSYNC 51
#define F_GETPATH 50
#define MAXPATHLEN 1024
#define PIPE_BUF 512
#define SO_NOSIGPIPE 0x1022
#define PATH_MAX 1024
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
int mkstemps(char *path, int suffix_length);
int usleep(useconds_t microseconds);
