// SQLite for Swift. SQLITE_TRANSIENT is a cast macro and sqlite3_db_config is variadic: Swift can import neither.
#pragma once
#include <sqlite3.h>

static inline int transferd_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int transferd_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int transferd_sqlite_config(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
// Once, before anything else: nobody asks how much memory SQLite uses, and counting it takes a lock each time.
static inline int transferd_sqlite_set_up(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
