// libssh for Swift: the SSH transport, logins and channels; its own SFTP is not used.
#pragma once
#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
