// Redis over TLS. hiredis of Debian 12 has none of its own: here OpenSSL empties and fills the
// buffers that it writes requests to and reads replies from.
#include "harness/wire/redis_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <hiredis/sds.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

// --- a session -----------------------------------------------------------------------------------

// What OpenSSL has found wrong, in words.
static const char *reason(const SSL *session)
{
    int reason = errno;
    const char *words = ERR_reason_error_string(ERR_get_error());
    long verified = session != NULL ? SSL_get_verify_result(session) : X509_V_OK;
    return verified != X509_V_OK ? X509_verify_cert_error_string(verified)
           : words != NULL       ? words
           : reason != 0         ? strerror(reason)
                                 : "the server has closed the connection";
}

static void forget_errors(void)
{
    ERR_clear_error();
    errno = 0;
}

// The name, or the address, that the server's certificate must be made out to.
static bool expect_name(SSL *session, const char *name)
{
    struct in6_addr ignored;
    if (inet_pton(AF_INET, name, &ignored) == 1 || inet_pton(AF_INET6, name, &ignored) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1;
    return SSL_set1_host(session, name) == 1 && SSL_set_tlsext_host_name(session, name) == 1;
}

int redis_tls_begin(struct redis_peer *link, struct error *error)
{
    const struct tls_settings *tls = link->peer.tls;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    int descriptor = link->context->fd;
    const char *file = NULL; // that cannot be used
    forget_errors();
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (SSL_CTX_load_verify_locations(context, tls_ca(tls), NULL) != 1)
        file = tls_ca(tls);
    else if (tls->certificate != NULL &&
             SSL_CTX_use_certificate_chain_file(context, tls->certificate) != 1)
        file = tls->certificate;
    else if (tls->key != NULL &&
             SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) != 1)
        file = tls->key;
    else
        link->tls = SSL_new(context);
    SSL_CTX_free(context);
    if (file != NULL)
        return error_set(error, "cannot use %s for TLS: %s", file, reason(NULL));
    SSL_set_connect_state(link->tls);
    if (expect_name(link->tls, tls_name(&link->peer)) && SSL_set_fd(link->tls, descriptor) == 1 &&
        fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        return 0;
    return error_set(error, "cannot begin TLS with %s: %s", link->peer.name, reason(NULL));
}

void redis_tls_free(struct redis_peer *link)
{
    SSL_free(link->tls);
    link->tls = NULL;
}

// True if a call that came back with that is to be made again once the socket is ready.
static bool must_wait(const struct redis_peer *link, int result)
{
    int why = SSL_get_error(link->tls, result);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

short redis_peer_wants(const struct redis_peer *link)
{
    return link->tls != NULL && SSL_want_read(link->tls) ? POLLIN : POLLOUT;
}

int redis_tls_shake(struct redis_peer *link, struct error *error)
{
    forget_errors();
    int result = SSL_do_handshake(link->tls);
    if (result == 1 || must_wait(link, result))
        return result == 1;
    error_set(error, "cannot speak TLS with %s: %s", link->peer.name, reason(link->tls));
    return tls_advise(&link->peer, error);
}

int redis_tls_connect(struct redis_peer *link, struct error *error)
{
    int shaken = redis_tls_begin(link, error) == 0 ? 0 : -1;
    while (shaken == 0 && (shaken = redis_tls_shake(link, error)) == 0) {
        if (!peer_await(&link->peer, link->context->fd, redis_peer_wants(link))) {
            error_set(error, "%s does not answer in time", link->peer.name);
            shaken = tls_advise(&link->peer, error);
        }
    }
    return shaken == 1 ? 0 : -1;
}

// --- requests and replies ------------------------------------------------------------------------

// As hiredis says it.
static int fail(struct redis_peer *link, const char *why)
{
    link->context->err = REDIS_ERR_OTHER;
    snprintf(link->context->errstr, sizeof link->context->errstr, "%s", why);
    return REDIS_ERR;
}

int redis_peer_write(struct redis_peer *link, int *done)
{
    redisContext *context = link->context;
    if (link->tls == NULL)
        return redisBufferWrite(context, done);
    for (size_t left; (left = sdslen(context->obuf)) > 0;) {
        forget_errors();
        int sent = SSL_write(link->tls, context->obuf, left < INT_MAX ? (int)left : INT_MAX);
        *done = 0;
        if (sent <= 0)
            return must_wait(link, sent) ? REDIS_OK : fail(link, reason(link->tls));
        sdsrange(context->obuf, sent, -1);
    }
    *done = 1;
    return REDIS_OK;
}

int redis_peer_read(struct redis_peer *link)
{
    char block[16 * 1024];
    if (link->tls == NULL)
        return redisBufferRead(link->context);
    do {
        forget_errors();
        int got = SSL_read(link->tls, block, sizeof block);
        if (got <= 0)
            return must_wait(link, got) ? REDIS_OK : fail(link, reason(link->tls));
        if (redisReaderFeed(link->context->reader, block, (size_t)got) != REDIS_OK)
            return fail(link, link->context->reader->errstr);
    } while (SSL_pending(link->tls) > 0);
    return REDIS_OK;
}

int redis_peer_reply(struct redis_peer *link, redisReply **reply)
{
    if (link->tls == NULL)
        return redisGetReply(link->context, (void **)reply);
    const struct peer limit = {.give_up_ns = clock_monotonic_ns() + link->limit_ns};
    for (;;) {
        int done = 0;
        if (redisGetReplyFromReader(link->context, (void **)reply) != REDIS_OK)
            return REDIS_ERR;
        if (*reply != NULL)
            return REDIS_OK;
        if (redis_peer_write(link, &done) != REDIS_OK)
            return REDIS_ERR;
        if (!peer_await(&limit, link->context->fd, done ? POLLIN : redis_peer_wants(link)))
            return fail(link, strerror(EAGAIN));
        if (done && redis_peer_read(link) != REDIS_OK)
            return REDIS_ERR;
    }
}
