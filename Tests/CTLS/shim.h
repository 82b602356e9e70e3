// OpenSSL's TLS for scripted servers; macros that Swift can't import are functions here.
#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>

static inline int transferd_tls_set_newest(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline int transferd_tls_set_session_id(SSL_CTX *context) {
    return SSL_CTX_set_session_id_context(context, (const unsigned char *)"scripted", 8);
}
