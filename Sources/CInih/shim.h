// libinih for Swift. Debian builds the library with the line number in the handler; the header has to agree.
#pragma once
#define INI_HANDLER_LINENO 1
#include <ini.h>

// The library's settings are global variables, which Swift 6 refuses to touch. Its defaults cut a line at 200 bytes,
// end a value at " ;" and take an indented line as more of the value above.
static inline void transferd_ini_set_up(int longest_line) {
    ini_max_line = longest_line;
    ini_use_stack = false;
    ini_allow_realloc = true;
    ini_allow_inline_comments = false;
    ini_allow_multiline = false;
    ini_allow_no_value = false;
    ini_stop_on_first_error = true;
}
