// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/descriptor.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace moreau::insitu
{
namespace
{
[[noreturn]] void fail_with(const int error) { throw std::system_error(error, std::generic_category()); }
} // namespace

int open_new_file(const std::filesystem::path &file)
{
  unlink(file.c_str()); // where that fails, so does open()
  return open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

Descriptor::Descriptor(const int number) : descriptor(number)
{
  if (descriptor < 0)
    fail_with(errno);
}

Descriptor::~Descriptor()
{
  if (descriptor >= 0)
    ::close(descriptor);
}

void Descriptor::write(const void *const bytes, const std::size_t size) const
{
  const char *const begin = static_cast<const char *>(bytes);
  for (std::size_t done = 0; done < size;)
    {
      const ssize_t n = ::write(descriptor, begin + done, size - done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        fail_with(n < 0 ? errno : ENOSPC);
      done += n;
    }
}

void Descriptor::bring_to_disk() const
{
  if (fsync(descriptor) != 0 && errno != EINVAL) // EINVAL: nothing that could be lost
    fail_with(errno);
}

void Descriptor::close()
{
  if (::close(std::exchange(descriptor, -1)) != 0 && errno != EINTR)
    fail_with(errno);
}
} // namespace moreau::insitu
