// libssh for Swift: the SSH transport, logins and channels; its own SFTP is not used. Tests take its server.
#pragma once
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <poll.h>
#include <sys/eventfd.h>
