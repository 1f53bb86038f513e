# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -D SOURCE=... -D HEADER=... -P git_hash.cmake: writes the commit that is built, with "+" where files differ from it;
# empty outside of a checkout. Untouched where it is the same, so that nothing is compiled again.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty=+ OUTPUT_VARIABLE hash ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(hash "")
endif()
set(text "#define MOREAU_GIT_HASH \"${hash}\"\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${HEADER} "${text}")
endif()
