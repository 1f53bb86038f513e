// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_HDF5_HANDLE_H
#define MOREAU_EXCHANGE_HDF5_HANDLE_H

#include "exchange/hdf5_table.h"
#include "exchange/in_a_child.h"

#include <hdf5.h>

#include <functional>
#include <string>

namespace moreau::exchange
{
/// A handle of HDF5 with its end.
class Handle
{
public:
  Handle(const hid_t id, herr_t (*close)(hid_t)) : id(id), close(close) {}
  ~Handle()
  {
    if (id >= 0)
      close(id);
  }
  Handle(const Handle &) = delete;

  operator hid_t() const { return id; }

private:
  hid_t id;
  herr_t (*close)(hid_t);
};

/// HDF5 says nothing on its own while this lives.
class QuietHdf5
{
public:
  QuietHdf5()
  {
    begin_hdf5();
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function, data); }
  QuietHdf5(const QuietHdf5 &) = delete;

private:
  H5E_auto2_t function = nullptr;
  void       *data     = nullptr;
};

/// Some damaged files kill libhdf5, which checks less than it trusts: what to say of one that does in a process of its own,
/// "damaged: ..."; else nothing.
inline std::string damage_found_in_a_child(const std::function<void()> &read)
{
  constexpr unsigned int seconds = 600;
  const std::string      death   = death_in_a_child(read, seconds);
  return death.empty() ? "" : "damaged: what read it with libhdf5 " + death + "; get the file again.";
}
} // namespace moreau::exchange

#endif
