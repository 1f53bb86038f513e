// SPDX-License-Identifier: GPL-3.0-or-later
// What insitu/conduit_writer.cc uses of libcatalyst 2.0 and of the Conduit inside it, under their names: see double.h.
#ifndef MOREAU_TESTS_INSITU_CONDUIT_CATALYST_H
#define MOREAU_TESTS_INSITU_CONDUIT_CATALYST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t conduit_int64;
typedef int64_t conduit_index_t;
typedef double  conduit_float64;

enum
{
  CONDUIT_ENDIANNESS_DEFAULT_ID = 0
};

typedef struct conduit_node_impl conduit_node;

conduit_node *conduit_node_create(void);
void          conduit_node_destroy(conduit_node *node);
conduit_node *conduit_node_fetch(conduit_node *node, const char *path);

void conduit_node_set_path_char8_str(conduit_node *node, const char *path, const char *value);
void conduit_node_set_path_int64(conduit_node *node, const char *path, conduit_int64 value);
void conduit_node_set_path_float64(conduit_node *node, const char *path, conduit_float64 value);
void conduit_node_set_path_int64_ptr(conduit_node *node, const char *path, conduit_int64 *values, conduit_index_t n);
void conduit_node_set_path_external_int64_ptr(conduit_node *node, const char *path, conduit_int64 *values,
                                              conduit_index_t n);
void conduit_node_set_path_external_float64_ptr_detailed(conduit_node *node, const char *path, conduit_float64 *values,
                                                         conduit_index_t n, conduit_index_t offset, conduit_index_t stride,
                                                         conduit_index_t element_bytes, conduit_index_t endianness);

enum catalyst_status
{
  catalyst_status_ok                        = 0,
  catalyst_status_error_no_implementation   = 1,
  catalyst_status_error_already_loaded      = 2,
  catalyst_status_error_not_found           = 3,
  catalyst_status_error_not_catalyst        = 4,
  catalyst_status_error_incomplete          = 5,
  catalyst_status_error_unsupported_version = 6
};

enum catalyst_status catalyst_initialize(const conduit_node *parameters);
enum catalyst_status catalyst_execute(const conduit_node *parameters);
enum catalyst_status catalyst_finalize(const conduit_node *parameters);

#ifdef __cplusplus
}
#endif

#endif
