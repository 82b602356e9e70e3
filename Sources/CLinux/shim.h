// What glibc and the kernel have and Swift's Glibc module does not: epoll, inotify, getopt_long, openat2, reflinks.
// Variadic functions and constants made by casts get a static inline each, no logic. _GNU_SOURCE stays undefined: it
// changes structures such as fd_set, and then this module and Dispatch's can't be imported together.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <stdio.h>
#include <unistd.h>

// <fcntl.h> has these only with _GNU_SOURCE.
#ifndef F_SETLEASE
#define F_SETLEASE 1024
#define F_GETLEASE 1025
#endif
#ifndef F_OFD_SETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

static inline int transferd_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int transferd_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}
// openat2(2): glibc 2.36 has no wrapper.
static inline int transferd_openat2(int directory, const char *path, unsigned long long flags,
                                    unsigned long long mode, unsigned long long resolve) {
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
// preadv2(2) with RWF_NOWAIT, only what is in memory; declared by glibc only with _GNU_SOURCE.
static inline long transferd_read_hot(int fd, void *space, unsigned long count, long long offset) {
    struct { void *start; unsigned long count; } part = {space, count}; // iovec of readv(2)
    return syscall(SYS_preadv2, fd, &part, 1, offset, 0, RWF_NOWAIT);
}
// renameat2(2) with RENAME_NOREPLACE: nothing that exists is overwritten.
static inline int transferd_rename_new(int from_directory, const char *from, int to_directory, const char *to) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, RENAME_NOREPLACE);
}
// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: the kernel starts writing that part and does not wait for it.
static inline int transferd_start_writing(int fd, long long offset, long long count) {
    return (int)syscall(SYS_sync_file_range, fd, offset, count, SYNC_FILE_RANGE_WRITE);
}
// fallocate(2) with FALLOC_FL_KEEP_SIZE: blocks are set aside, and the file is as long as what was written to it.
static inline int transferd_reserve(int fd, long long count) {
    return (int)syscall(SYS_fallocate, fd, 1, 0LL, count);
}
static inline int transferd_set_lease(int fd, int lease) { return fcntl(fd, F_SETLEASE, lease); }
static inline int transferd_get_lease(int fd) { return fcntl(fd, F_GETLEASE, 0); }
static inline int transferd_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }
// copy_file_range(2) and syncfs(2): declared by glibc only with _GNU_SOURCE.
static inline long transferd_copy_range(int from, int to, unsigned long count) {
    return syscall(SYS_copy_file_range, from, (void *)0, to, (void *)0, count, 0);
}
static inline int transferd_sync_file_system(int fd) { return (int)syscall(SYS_syncfs, fd); }
static inline int transferd_fcntl(int fd, int command, int value) { return fcntl(fd, command, value); }
// The write lock of a whole file that belongs to the open file description (F_OFD_SETLK): see fcntl(2).
static inline int transferd_lock_file(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock);
}
// flock(2): Swift has the structure of that name only.
static inline int transferd_flock(int fd, int operation) { return flock(fd, operation); }
static inline int transferd_terminal_size(int fd, struct winsize *size) { return ioctl(fd, TIOCGWINSZ, size); }
// Lets go of it at once, even where a child between fork and exec still has the descriptor.
static inline int transferd_unlock_file(int fd) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock);
}
// Whether another open file description or process holds a lock on any byte of the file (F_OFD_GETLK); -1: errno.
static inline int transferd_is_file_locked(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) < 0 ? -1 : lock.l_type != F_UNLCK;
}
static inline int transferd_optind(void) { return optind; }
static inline void transferd_set_optind(int value) { optind = value; }
static inline void transferd_set_opterr(int value) { opterr = value; }
static inline char *transferd_optarg(void) { return optarg; }
static inline int transferd_optopt(void) { return optopt; }
static inline int transferd_stderr_print(const char *text) { return fputs(text, stderr); }
// environ(7): a mutable global that Swift does not let pass.
static inline char **transferd_environment(void) { return __environ; }
