// SPDX-License-Identifier: GPL-3.0-or-later
// Makes one call of a program fail: a library for LD_PRELOAD that scripts/faults compiles. What it does stands in the
// environment:
//   FAULT         the kind: write (EIO), full (ENOSPC from then on, behind half of the bytes), open, rename, fsync, close,
//                 mkdir, unlink (of files below FAULT_FOLDER), new (operator new, and malloc, calloc, realloc and aligned
//                 memory of FAULT_BYTES or more), mpi
//   FAULT_NUMBER  which of these calls, from 1; 0: none, they are counted
//   FAULT_REPORT  a file: at its end a line "failed", and how many calls there were until the program ended
// Only what happens between the beginning and the end of main counts.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace
{
char          kind[16]         = "";
char          folder[PATH_MAX] = "";
long          number           = 0;
std::size_t   least_bytes      = 0;
int           report           = -1;
pid_t         process          = 0;
volatile bool runs = false, is_full = false;
long          n_calls = 0;

template <class Function>
Function *of_library(Function *, const char *name)
{
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

void say(const char *text) { syscall(SYS_write, report, text, std::strlen(text)); }

bool is(const char *other) { return std::strcmp(kind, other) == 0; }

/// Counts a call; whether it is the one to fail. Children of the program are left alone.
bool fails(const char *of_kind)
{
  if (!runs || !is(of_kind))
    return false;
  const long n = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
  if (n != number || getpid() != process)
    return false;
  say("failed\n");
  return true;
}

bool lies_in_folder(const char *path)
{
  if (path == nullptr || folder[0] == '\0')
    return false;
  char whole[2 * PATH_MAX];
  if (path[0] == '/')
    std::snprintf(whole, sizeof whole, "%s", path);
  else
    {
      char here[PATH_MAX];
      if (syscall(SYS_getcwd, here, sizeof here) < 0)
        return false;
      std::snprintf(whole, sizeof whole, "%s/%s", here, path);
    }
  return std::strncmp(whole, folder, std::strlen(folder)) == 0;
}

bool is_in_folder(const int descriptor)
{
  char link[64], path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0)
    return false;
  path[n] = '\0';
  return lies_in_folder(path);
}

int fail(const int error)
{
  errno = error;
  return -1;
}

/// Half of the bytes of the first write that has no space, nothing of those behind it.
bool has_no_space(std::size_t &size)
{
  if (is_full)
    {
      size = 0;
      return true;
    }
  if (!fails("full"))
    return false;
  is_full = true;
  size /= 2;
  return true;
}

/// Whether a write goes on, perhaps of fewer bytes; else errno says why not.
bool goes_on(const int descriptor, std::size_t &size)
{
  if (!runs || !(is("write") || is("full")) || !is_in_folder(descriptor))
    return true;
  if (fails("write"))
    return fail(EIO) == 0;
  return !has_no_space(size) || size > 0 || fail(ENOSPC) == 0;
}

using Main     = int (*)(int, char **, char **);
Main real_main = nullptr;

int main_that_counts(const int argc, char **const argv, char **const environment)
{
  const auto text = [](const char *name) { return std::getenv(name) != nullptr ? std::getenv(name) : ""; };
  std::snprintf(kind, sizeof kind, "%s", text("FAULT"));
  std::snprintf(folder, sizeof folder, "%s", text("FAULT_FOLDER"));
  number      = std::atol(text("FAULT_NUMBER"));
  least_bytes = static_cast<std::size_t>(std::atol(text("FAULT_BYTES")));
  report =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, text("FAULT_REPORT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  process = getpid();
  unsetenv("LD_PRELOAD"); // programs that this one starts do not fail
  runs             = true;
  const int status = real_main(argc, argv, environment);
  runs             = false;
  char line[64];
  std::snprintf(line, sizeof line, "%ld\n", n_calls);
  say(line);
  return status;
}
} // namespace

extern "C" {
int __libc_start_main(const Main main, const int argc, char **const argv, void (*const init)(), void (*const fini)(),
                      void (*const rtld_fini)(), void *const stack_end)
{
  using Start = int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(), void *);
  real_main   = main;
  return reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"))(main_that_counts, argc, argv, init, fini, rtld_fini,
                                                                        stack_end);
}

ssize_t write(const int descriptor, const void *const bytes, std::size_t size)
{
  if (!goes_on(descriptor, size))
    return -1;
  return syscall(SYS_write, descriptor, bytes, size);
}

/// As libhdf5 writes.
ssize_t pwrite64(const int descriptor, const void *const bytes, std::size_t size, const off64_t at)
{
  if (!goes_on(descriptor, size))
    return -1;
  return syscall(SYS_pwrite64, descriptor, bytes, size, at);
}
ssize_t pwrite(const int descriptor, const void *const bytes, const std::size_t size, const off_t at)
{
  return pwrite64(descriptor, bytes, size, at);
}

ssize_t writev(const int descriptor, const iovec *const parts, const int n)
{
  if (runs && is_in_folder(descriptor) && (fails("write") || is_full || fails("full")))
    return fail(is("write") ? EIO : ENOSPC);
  return syscall(SYS_writev, descriptor, parts, n);
}

int open(const char *const path, const int flags, ...)
{
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (runs && lies_in_folder(path) && fails("open"))
    return fail(EMFILE);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char *const path, const int flags, ...)
{
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}

FILE *fopen(const char *const path, const char *const mode)
{
  static const auto real = of_library(&fopen, "fopen");
  if (runs && lies_in_folder(path) && fails("open"))
    {
      errno = EMFILE;
      return nullptr;
    }
  return real(path, mode);
}

FILE *fopen64(const char *const path, const char *const mode) { return fopen(path, mode); }

int rename(const char *const from, const char *const to)
{
  if (runs && lies_in_folder(to) && fails("rename"))
    return fail(EIO);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int fsync(const int descriptor)
{
  if (runs && is("fsync") && is_in_folder(descriptor) && fails("fsync"))
    return fail(EIO);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

int close(const int descriptor)
{
  const bool failing = runs && is("close") && is_in_folder(descriptor) && fails("close");
  const auto result  = static_cast<int>(syscall(SYS_close, descriptor));
  return failing ? fail(EDQUOT) : result;
}

int mkdir(const char *const path, const mode_t mode)
{
  if (runs && lies_in_folder(path) && fails("mkdir"))
    return fail(EIO);
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int unlink(const char *const path)
{
  if (runs && lies_in_folder(path) && fails("unlink"))
    return fail(EIO);
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int remove(const char *const path)
{
  static const auto real = of_library(static_cast<int (*)(const char *)>(&remove), "remove");
  if (runs && lies_in_folder(path) && fails("unlink"))
    return fail(EIO);
  return real(path);
}

void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);

static bool has_no_memory(const std::size_t size)
{
  return runs && size >= least_bytes && fails("new") && (errno = ENOMEM, true);
}

void *malloc(const std::size_t size) { return has_no_memory(size) ? nullptr : __libc_malloc(size); }

void *calloc(const std::size_t n, const std::size_t size)
{
  return has_no_memory(n * size) ? nullptr : __libc_calloc(n, size);
}

void *realloc(void *const memory, const std::size_t size)
{
  return has_no_memory(size) ? nullptr : __libc_realloc(memory, size);
}

void *memalign(const std::size_t alignment, const std::size_t size)
{
  return has_no_memory(size) ? nullptr : __libc_memalign(alignment, size);
}

void *aligned_alloc(const std::size_t alignment, const std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void **const memory, const std::size_t alignment, const std::size_t size)
{
  if (has_no_memory(size))
    return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
}

namespace
{
void *new_memory(const std::size_t size, const std::size_t alignment = 0)
{
  if (runs && fails("new"))
    return nullptr;
  return alignment > 0 ? __libc_memalign(alignment, size) : __libc_malloc(size > 0 ? size : 1);
}

void *required(void *const memory)
{
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}
} // namespace

void *operator new(const std::size_t size) { return required(new_memory(size)); }
void *operator new[](const std::size_t size) { return required(new_memory(size)); }
void *operator new(const std::size_t size, const std::nothrow_t &) noexcept { return new_memory(size); }
void *operator new[](const std::size_t size, const std::nothrow_t &) noexcept { return new_memory(size); }
void *operator new(const std::size_t size, const std::align_val_t alignment)
{
  return required(new_memory(size, static_cast<std::size_t>(alignment)));
}
void *operator new[](const std::size_t size, const std::align_val_t alignment)
{
  return required(new_memory(size, static_cast<std::size_t>(alignment)));
}
