// libsystemd for Swift: service notification only.
#pragma once
#include <systemd/sd-daemon.h>
