// Tells ThreadSanitizer of Swift's Mutex. The waiting half of Mutex lies in a library that is not instrumented, so
// that every contended lock looks like a race: preloaded, these two stand before it and say what it does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

typedef __attribute__((swiftcall)) void lock_slow(uint32_t self_id, __attribute__((swift_context)) void *handle);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle);

static void tell(const char *event, void *handle) {
    void (*annotation)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, event);
    if (annotation) annotation(handle);
}

// Synchronization._MutexHandle._lockSlow(UInt32)
__attribute__((swiftcall)) void locked(uint32_t self_id, __attribute__((swift_context)) void *handle)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) void locked(uint32_t self_id, __attribute__((swift_context)) void *handle) {
    ((lock_slow *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"))(self_id, handle);
    tell("__tsan_acquire", handle);
}

// Synchronization._MutexHandle._unlockSlow()
__attribute__((swiftcall)) void unlocked(__attribute__((swift_context)) void *handle)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
__attribute__((swiftcall)) void unlocked(__attribute__((swift_context)) void *handle) {
    tell("__tsan_release", handle);
    ((unlock_slow *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"))(handle);
}
