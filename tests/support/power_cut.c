// Preloaded into a gateway: notes what the writes to its store replace, until they are synced, so
// that power_cut.ts can undo them as a power cut does.
//
// Beside each database and log there is a file "….unsynced" with one record a write: a header, then
// the bytes that were there. A sync takes as long as that of a disk and empties it; it does not
// reach the disk itself, because the kernel keeps what a killed process has written.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYNC_MICROSECONDS 2000

struct header {
    uint64_t offset;
    uint64_t length;    // Of the bytes that follow: those that were there.
    uint64_t size;      // The file's size before.
    uint64_t changed;   // How many bytes are written, or cut off.
    uint64_t truncated; // Whether it was truncated, not written.
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int ends_with(const char* text, const char* end) {
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/// Opens the record of the store's file; -1: it is another file.
static int open_record(int file, int flags) {
    char link[64];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - sizeof ".unsynced");
    if (length < 0) {
        return -1;
    }
    path[length] = '\0';
    if (!ends_with(path, ".db") && !ends_with(path, ".db-wal")) {
        return -1;
    }
    strcat(path, ".unsynced");
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
}

static void note(int file, off_t offset, size_t length, int truncated) {
    const int record = open_record(file, O_APPEND);
    if (record < 0) {
        return;
    }
    struct stat status;
    char* bytes = malloc(sizeof(struct header) + length);
    if (bytes == NULL || fstat(file, &status) != 0) {
        abort();
    }
    const ssize_t was = pread(file, bytes + sizeof(struct header), length, offset);
    const struct header header = {
        .offset = (uint64_t)offset,
        .length = was < 0 ? 0 : (uint64_t)was,
        .size = (uint64_t)status.st_size,
        .changed = (uint64_t)length,
        .truncated = (uint64_t)truncated,
    };
    memcpy(bytes, &header, sizeof header);
    const size_t all = sizeof header + header.length;
    if (write(record, bytes, all) != (ssize_t)all) {
        abort();
    }
    free(bytes);
    close(record);
}

ssize_t pwrite64(int file, const void* bytes, size_t length, off64_t offset) {
    static ssize_t (*real)(int, const void*, size_t, off64_t);
    pthread_mutex_lock(&lock);
    if (real == NULL) {
        real = (ssize_t(*)(int, const void*, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    }
    note(file, offset, length, 0);
    const ssize_t written = real(file, bytes, length, offset);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int file, const void* bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

int ftruncate64(int file, off64_t size) {
    static int (*real)(int, off64_t);
    struct stat status;
    pthread_mutex_lock(&lock);
    if (real == NULL) {
        real = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
    }
    if (fstat(file, &status) == 0 && status.st_size > size) {
        note(file, size, (size_t)(status.st_size - size), 1);
    }
    const int result = real(file, size);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

/// Nobody writes to the file meanwhile: the store's threads write to one file each.
int fsync(int file) {
    usleep(SYNC_MICROSECONDS);
    pthread_mutex_lock(&lock);
    const int record = open_record(file, O_TRUNC);
    if (record >= 0) {
        close(record);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int fdatasync(int file) { return fsync(file); }
