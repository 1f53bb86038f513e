// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_DESCRIPTOR_H
#define MOREAU_INSITU_DESCRIPTOR_H

#include <cstddef>
#include <filesystem>

namespace moreau::insitu
{
/// Makes a file for writing in the place of what has its name: a link is removed, not followed. Returns its descriptor;
/// -1 and errno where it cannot be made.
int open_new_file(const std::filesystem::path &file);

/// A file descriptor that closes itself. All throw std::system_error.
class Descriptor
{
public:
  /// Takes over what open() or open_new_file() return; -1 throws errno.
  explicit Descriptor(int number);
  ~Descriptor();
  Descriptor(const Descriptor &) = delete;

  void write(const void *bytes, std::size_t size) const;

  /// fsync(), where the file system has it.
  void bring_to_disk() const;

  /// Quotas and network file systems may say only here that there is no space.
  void close();

  int number() const { return descriptor; }

private:
  int descriptor;
};
} // namespace moreau::insitu

#endif
