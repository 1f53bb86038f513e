// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/atomic_file.h"

#include "insitu/descriptor.h"

#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <system_error>
#include <vector>

namespace moreau::insitu
{
namespace
{
/// What a stream writes to a descriptor. An exception sets badbit; what it was is kept.
class DescriptorBuffer : public std::streambuf
{
public:
  explicit DescriptorBuffer(const Descriptor &descriptor) : descriptor(descriptor), buffer(1 << 16)
  {
    setp(buffer.data(), buffer.data() + buffer.size());
  }

  /// Of the first write that failed.
  std::error_code error;

protected:
  int_type overflow(const int_type c) override
  {
    if (sync() != 0)
      return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c) : sputc(traits_type::to_char_type(c));
  }

  int sync() override
  {
    try
      {
        descriptor.write(pbase(), pptr() - pbase());
      }
    catch (const std::system_error &failure)
      {
        error = failure.code();
        return -1;
      }
    setp(buffer.data(), buffer.data() + buffer.size());
    return 0;
  }

private:
  const Descriptor &descriptor;
  std::vector<char> buffer;
};

/// What both ways of writing begin and end with. make: leaves a whole file on the disk.
void put_in_place(const std::filesystem::path &file, const std::function<void(const std::filesystem::path &)> &make)
{
  std::filesystem::path temporary = file;
  temporary += ".incomplete";
  const auto remove_temporary = [&] {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  };

  try
    {
      make(temporary);
      std::filesystem::rename(temporary, file);
    }
  catch (const std::system_error &error)
    {
      remove_temporary();
      throw std::runtime_error(file.string() + " cannot be written: " + error.code().message());
    }
  catch (...)
    {
      remove_temporary();
      throw;
    }
}
} // namespace

void write_atomically(const std::filesystem::path &file, const std::function<void(std::ostream &)> &write)
{
  put_in_place(file, [&](const std::filesystem::path &temporary) {
    Descriptor       descriptor(open_new_file(temporary));
    DescriptorBuffer buffer(descriptor);
    std::ostream     out(&buffer);
    write(out);
    out.flush();
    if (!out)
      throw std::system_error(buffer.error ? buffer.error : std::make_error_code(std::errc::io_error));
    descriptor.bring_to_disk();
    descriptor.close();
  });
}

void make_atomically(const std::filesystem::path &file, const std::function<void(const std::filesystem::path &)> &make)
{
  put_in_place(file, [&](const std::filesystem::path &temporary) {
    Descriptor descriptor(open_new_file(temporary)); // says why where nothing can be made there
    try
      {
        make(temporary);
      }
    catch (const std::runtime_error &error)
      {
        throw std::runtime_error(file.string() + " cannot be written: " + error.what());
      }
    descriptor.bring_to_disk(); // of the same file
    descriptor.close();
  });
}
} // namespace moreau::insitu
