/*
 * Makes calls of a program fail, when it is loaded before the C library with LD_PRELOAD.
 *
 * The variable FAULTS is the path of a directory. While it has one of these files, the calls fail, or behave otherwise:
 *
 *   write   writing and synchronizing files; "ERROR PART" is the number of the error, and a part of the paths of the
 *           files. The error 0 blocks the calls until the file is removed.
 *   read    likewise for reading files
 *   thread  starting a thread, with this error
 *   process starting a process, with this error
 *   clock   the time of day is this many seconds later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Reads a file of the directory. Returns whether there is one. */
static int fault(const char *name, char *content, size_t size) {
    char path[4096];
    const char *directory = getenv("FAULTS");
    if (!directory) return 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int before = errno;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long length = file < 0 ? -1 : syscall(SYS_read, file, content, size - 1);
    if (file >= 0) syscall(SYS_close, file);
    errno = before;
    if (length <= 0) return 0;
    content[length] = 0;
    return 1;
}

/* Returns the error of reading or writing a file, or 0. */
static int file_error(const char *name, int file) {
    char content[4096], link[64], path[4096];
    while (fault(name, content, sizeof content)) {
        char *part;
        content[strcspn(content, "\n")] = 0;
        int error = (int)strtol(content, &part, 10);
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        if (!strstr(path, part + 1)) return 0;
        if (error) return error;
        usleep(1000);
    }
    return 0;
}

#define FAIL(name, file) do { int error = file_error(name, file); if (error) { errno = error; return -1; } } while (0)

ssize_t read(int file, void *bytes, size_t length) {
    FAIL("read", file);
    return syscall(SYS_read, file, bytes, length);
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t offset) {
    FAIL("read", file);
    return syscall(SYS_pread64, file, bytes, length, offset);
}

ssize_t pread(int file, void *bytes, size_t length, off_t offset) {
    return pread64(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
    FAIL("write", file);
    return syscall(SYS_write, file, bytes, length);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    FAIL("write", file);
    return syscall(SYS_pwrite64, file, bytes, length, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

int fsync(int file) {
    FAIL("write", file);
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    FAIL("write", file);
    return (int)syscall(SYS_fdatasync, file);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *settings, void *(*run)(void *), void *argument) {
    char content[64];
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return fault("thread", content, sizeof content) ? atoi(content) : next(thread, settings, run, argument);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *settings, char *const arguments[], char *const environment[]) {
    char content[64];
    int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]) = dlsym(RTLD_NEXT, "posix_spawnp");
    return fault("process", content, sizeof content) ? atoi(content)
                                                      : next(pid, file, actions, settings, arguments, environment);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    char content[64];
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME && fault("clock", content, sizeof content)) {
        time->tv_sec += atol(content);
    }
    return result;
}
