// libinih for Swift. Debian builds the library with the line number in the handler; the header has to agree.
#pragma once
#define INI_HANDLER_LINENO 1
#include <ini.h>
