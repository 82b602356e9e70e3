// libcrypto and libssl for Swift: message digests, random bytes, and what a TLS connection is made of.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// A name on one line (RFC 2253) with UTF-8 as it is; the flags are macros of macros with casts.
static const unsigned long transferd_name_format =
    (XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB) | ASN1_STRFLGS_UTF8_CONVERT;
