// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/plugin/script_guards.h"

#include <cstdio>

namespace moreau::insitu
{
namespace
{
/// Where a script ends Python, the program would end with it. An alarm interrupts one that takes too long, and again every
/// second, since `except:` may take the first one; calls within calls share it.
constexpr const char *keep_exits_inside = R"py(
def _keep_exits_inside(limit):
    import logging
    import os
    import signal
    import threading
    import time
    import paraview
    from paraview.catalyst import v2_internals
    paraview.logger.setLevel(logging.WARNING) # what ParaView 5.11 does with less than that is an error of its own
    def too_long(number, frame):
        raise TimeoutError("it took longer than %g s (In situ/Time limit)" % limit)
    depth = 0
    def guarded(function):
        def call(*arguments):
            nonlocal depth
            before = None
            try:
                if depth == 0:
                    before = signal.signal(signal.SIGALRM, too_long)
                    signal.setitimer(signal.ITIMER_REAL, limit, 1.)
                depth += 1
                start = time.monotonic()
                result = function(*arguments)
                if depth == 1 and time.monotonic() - start > limit: # of a script that has taken the alarm for itself
                    too_long(signal.SIGALRM, None)
                return result
            except (SystemExit, KeyboardInterrupt) as exit:
                raise RuntimeError("the script wanted to end the program (%s)" % type(exit).__name__) from exit
            finally:
                depth -= 1
                if depth == 0:
                    signal.setitimer(signal.ITIMER_REAL, 0.)
                    signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
        return call
    for name in ("import_and_validate", "do_request_data_description", "do_catalyst_initialize",
                 "do_catalyst_execute", "do_catalyst_finalize"):
        setattr(v2_internals, name, guarded(getattr(v2_internals, name)))

    def refused(name, advice):
        def call(*arguments):
            raise RuntimeError("the script called os.%s, which %s" % (name, advice))
        return call
    for name in ("_exit", "abort"):
        setattr(os, name, refused(name, "would end the program"))
    for name in ("fork", "forkpty"):
        setattr(os, name, refused(name, "would double the program; use subprocess"))
    threading._shutdown = lambda: None # the program does not wait for threads that scripts leave behind
)py";

/// States that ParaView saved name their sources as the opened files: "spheres_0000.vtp" and "spheres_0012.vtp*" become
/// "spheres". What is read from files all the same is said: a picture of an old run looks like one of this.
constexpr const char *find_channels_of_files = R"py(
def _find_channels_of_files():
    import re
    from paraview.catalyst import detail
    usual, is_channel = detail._transform_registration_name, detail.IsInsituInput
    def channel_of(name):
        file = re.fullmatch(r"(.+)_\d{4,}\.p?vt[pu]\*?", name)
        return file.group(1) if file else usual(name)
    def is_channel_or_says_so(name):
        answer = is_channel(name)
        if name and not answer and re.search(r"\.(p?vt[pu]|pvd)\*?$", name):
            print("'%s' is read from a file: no channel has its name." % name)
        return answer
    detail._transform_registration_name = channel_of
    detail.IsInsituInput = is_channel_or_says_so
_find_channels_of_files()
)py";

/// Without a display VTK ends the program where it first draws.
constexpr const char *refuse_to_draw = R"py(
def _refuse_to_draw():
    from paraview import servermanager
    create = servermanager.CreateProxy
    def guarded(group, name, session=None):
        if group == "views" and name != "SpreadSheetView":
            raise RuntimeError("it draws pictures and there is no display; start the program with xvfb-run -a "
                               "in front, or use a script that only writes data extracts")
        return create(group, name, session)
    servermanager.CreateProxy = guarded
_refuse_to_draw()
)py";
} // namespace

std::vector<std::string> script_guards(const double time_limit, const bool has_display)
{
  char call[64];
  std::snprintf(call, sizeof call, "_keep_exits_inside(%.17g)\n", time_limit);
  std::vector<std::string> guards = {keep_exits_inside, call, find_channels_of_files};
  if (!has_display)
    guards.emplace_back(refuse_to_draw);
  return guards;
}
} // namespace moreau::insitu
