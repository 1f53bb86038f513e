# SPDX-License-Identifier: GPL-3.0-or-later
program: str
