// Preloaded into a daemon by a test. Every fsync takes as many milliseconds as the file named by SLOW_DISK says, and the
// file named by DISK_LOG gets a line for each sync, write and truncation of the journal: `main|pool WHAT db|wal`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static void note(const char *what, int fd) {
    const char *log = getenv("DISK_LOG");
    char link[64], path[4096], line[64];
    if (!log) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return;
    path[n] = 0;
    const char *file = ends_with(path, "/baton.db") ? "db" : ends_with(path, "/baton.db-wal") ? "wal" : NULL;
    if (!file) return;
    int length = snprintf(line, sizeof line, "%s %s %s\n", syscall(SYS_gettid) == getpid() ? "main" : "pool", what, file);
    int to = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (to < 0) return;
    if (write(to, line, length) != length) abort();
    close(to);
}

static int sync_slowly(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *path = getenv("SLOW_DISK");
    FILE *file = path ? fopen(path, "r") : NULL;
    int ms = 0;
    if (file) {
        if (fscanf(file, "%d", &ms) == 1) usleep(ms * 1000);
        fclose(file);
    }
    int result = real(fd);
    note("sync", fd);
    return result;
}

int fsync(int fd) { return sync_slowly("fsync", fd); }
int fdatasync(int fd) { return sync_slowly("fdatasync", fd); }

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    note("write", fd);
    return real(fd, bytes, count, at);
}

int ftruncate64(int fd, off64_t length) {
    int (*real)(int, off64_t) = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
    note("truncate", fd);
    return real(fd, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
