// libcurl for Swift. curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, which Swift cannot
// call: one static inline function per argument type, no logic.
#pragma once
#include <curl/curl.h>

static inline CURLcode transferd_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode transferd_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode transferd_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode transferd_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode transferd_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
typedef size_t (*transferd_data_function)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode transferd_easy_set_data_function(CURL *easy, CURLoption option,
                                                        transferd_data_function value) {
    return curl_easy_setopt(easy, option, value);
}
typedef int (*transferd_seek_function)(void *context, curl_off_t offset, int origin);
static inline CURLcode transferd_easy_set_seek_function(CURL *easy, transferd_seek_function value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
typedef curl_socket_t (*transferd_open_function)(void *context, curlsocktype purpose,
                                                 struct curl_sockaddr *address);
static inline CURLcode transferd_easy_set_open_function(CURL *easy, transferd_open_function value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
typedef int (*transferd_close_function)(void *context, curl_socket_t socket);
static inline CURLcode transferd_easy_set_close_function(CURL *easy, transferd_close_function value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
typedef int (*transferd_request_function)(void *context, char *address, char *own_address, int port, int own_port);
static inline CURLcode transferd_easy_set_request_function(CURL *easy, transferd_request_function value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode transferd_easy_copy_body(CURL *easy, const void *bytes) {
    return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}
typedef CURLcode (*transferd_context_function)(CURL *easy, void *tls_context, void *context);
static inline CURLcode transferd_easy_set_context_function(CURL *easy, transferd_context_function value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}
typedef int (*transferd_debug_function)(CURL *easy, curl_infotype kind, char *bytes, size_t count,
                                        void *context);
static inline CURLcode transferd_easy_set_debug_function(CURL *easy, transferd_debug_function value) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}
static inline CURLMcode transferd_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode transferd_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
typedef int (*transferd_socket_function)(CURL *easy, curl_socket_t socket, int what, void *context,
                                         void *socket_context);
static inline CURLMcode transferd_multi_set_socket_function(CURLM *multi, transferd_socket_function value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
typedef int (*transferd_timer_function)(CURLM *multi, long milliseconds, void *context);
static inline CURLMcode transferd_multi_set_timer_function(CURLM *multi, transferd_timer_function value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
static inline CURLcode transferd_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode transferd_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode transferd_easy_get_text(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode transferd_easy_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLcode transferd_easy_get_tls(CURL *easy, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}
// The result of a finished transfer sits in a union of CURLMsg.
static inline CURLcode transferd_message_result(const CURLMsg *message) { return message->data.result; }
