// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_HDF5_HANDLE_H
#define MOREAU_EXCHANGE_HDF5_HANDLE_H

#include "exchange/hdf5_table.h"

#include <hdf5.h>

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
} // namespace moreau::exchange

#endif
