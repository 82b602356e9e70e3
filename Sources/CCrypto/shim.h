// libcrypto and libssl for Swift: message digests, random bytes, and what a TLS connection is made of.
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// A name on one line (RFC 2253) with UTF-8 as it is; the flags are macros of macros with casts.
static const unsigned long transferd_name_format =
    (XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB) | ASN1_STRFLGS_UTF8_CONVERT;

// The name that the other side of a connection is asked for (RFC 6066, section 3), and what may be done with bytes that were
// not taken; both are macros of SSL_ctrl.
static inline long transferd_tls_set_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name);
}
static inline void transferd_tls_write_parts(SSL *connection) {
    SSL_set_mode(connection, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
