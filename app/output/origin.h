// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_ORIGIN_H
#define MOREAU_APP_OUTPUT_ORIGIN_H

#include <nlohmann/json_fwd.hpp>

namespace moreau::app
{
/// Where a result comes from, as keys of summary.json: `format_version` (1; larger where keys change their meaning or go),
/// `command` (the words of the command line), `git_hash` of the sources ("+" behind it: they differed from that commit; null
/// outside of a checkout), `date` (UTC, now), `host`, `threads`.
void add_origin(nlohmann::ordered_json &json);

/// What add_origin() says of the sources.
nlohmann::ordered_json git_hash();
} // namespace moreau::app

#endif
