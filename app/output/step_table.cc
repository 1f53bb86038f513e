// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/step_table.h"

#include "convex/input_error.h"
#include "insitu/descriptor.h"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace moreau::app
{
namespace fs = std::filesystem;

namespace
{
fs::path incomplete(fs::path file) { return file += ".incomplete"; }
} // namespace

StepTable::StepTable(fs::path file, const std::string &header)
    : file(std::move(file)), descriptor(insitu::open_new_file(incomplete(this->file)))
{
  if (descriptor < 0)
    fail(errno);
  buffer = header + "\n";
  write_buffer();
}

void StepTable::require(const fs::path &file, const std::uintmax_t size)
{
  std::error_code error;
  const auto      found = fs::file_size(fs::exists(incomplete(file), error) ? incomplete(file) : file, error);
  if (error)
    throw InputError("Output directory", file.string() + " is gone, a table of the run that shall go on; put it back, or "
                                                         "leave out --resume to begin anew.");
  if (found < size)
    throw InputError("Output directory", file.string() + " has lost lines since the checkpoint was written; leave out "
                                                         "--resume to begin anew.");
}

StepTable StepTable::resumed(const fs::path &file, const std::uintmax_t size)
{
  require(file, size);
  std::error_code error;
  if (!fs::exists(incomplete(file)))
    fs::rename(file, incomplete(file), error);
  StepTable table;
  table.file       = file;
  table.descriptor = open(incomplete(file).c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (table.descriptor < 0 || ftruncate(table.descriptor, static_cast<off_t>(size)) != 0 ||
      lseek(table.descriptor, 0, SEEK_END) < 0)
    table.fail(errno);
  table.written    = size;
  table.last_write = std::chrono::steady_clock::now();
  return table;
}

StepTable::StepTable(StepTable &&other) noexcept
    : file(std::move(other.file))
    , descriptor(std::exchange(other.descriptor, -1))
    , written(other.written)
    , buffer(std::move(other.buffer))
    , last_write(other.last_write)
{}

StepTable::~StepTable()
{
  if (descriptor < 0)
    return;
  try
    {
      finish();
    }
  catch (const std::runtime_error &) // lines before the last write are there
    {
      std::error_code ignored;
      fs::rename(incomplete(file), file, ignored);
    }
}

void StepTable::append(const std::string &line)
{
  constexpr std::size_t most_bytes = 1 << 16;
  buffer += line;
  buffer += '\n';
  if (buffer.size() >= most_bytes || std::chrono::steady_clock::now() - last_write > std::chrono::seconds(1))
    write_buffer();
}

std::uintmax_t StepTable::flush()
{
  write_buffer();
  if (fsync(descriptor) != 0 && errno != EINVAL)
    fail(errno);
  return written;
}

void StepTable::finish()
{
  flush();
  if (close(std::exchange(descriptor, -1)) != 0 && errno != EINTR)
    fail(errno);
  std::error_code error;
  fs::rename(incomplete(file), file, error);
  if (error)
    fail(error.value());
}

void StepTable::write_buffer()
{
  for (std::size_t done = 0; done < buffer.size();)
    {
      const ssize_t n = ::write(descriptor, buffer.data() + done, buffer.size() - done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          const int error = n < 0 ? errno : ENOSPC;
          buffer.clear();
          if (ftruncate(descriptor, static_cast<off_t>(written)) != 0) // to whole lines; shorter always has space
            fail(errno);
          fail(error);
        }
      done += n;
    }
  written += buffer.size();
  buffer.clear();
  last_write = std::chrono::steady_clock::now();
}

void StepTable::fail(const int error) const
{
  throw std::runtime_error(file.string() + " cannot be written: " + std::generic_category().message(error));
}
} // namespace moreau::app
