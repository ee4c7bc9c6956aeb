// HTTPS, with a certificate that the test makes.
#include "http/tls.hpp"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "http/io_thread.hpp"
#include "http/server_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::http::testing {
namespace {

/// Writes a new P-256 key and a certificate signed by it. `pass_phrase`, if given, encrypts the
/// key.
void make_certificate(const std::string& certificate_path, const std::string& key_path,
                      const char* pass_phrase = nullptr) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(key_path.c_str(), "w");
    PEM_write_PrivateKey(file, key, pass_phrase != nullptr ? EVP_aes_256_cbc() : nullptr, nullptr,
                         0, nullptr, const_cast<char*>(pass_phrase));
    std::fclose(file);
    file = std::fopen(certificate_path.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

/// A blocking TLS client over a RawClient's socket.
class TlsClient {
public:
    TlsClient(RawClient client, std::string_view alpn = {}, int version_max = 0)
        : client_(std::move(client)), context_(SSL_CTX_new(TLS_client_method())) {
        const timeval limit{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(client_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        SSL_CTX_set_max_proto_version(context_, version_max);
        SSL_CTX_set_security_level(context_, 0);
        ssl_ = SSL_new(context_);
        if (!alpn.empty()) {
            SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(alpn.data()),
                                static_cast<unsigned int>(alpn.size()));
        }
        SSL_set_fd(ssl_, client_.descriptor());
        connected_ = SSL_connect(ssl_) == 1;
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;
    ~TlsClient() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }

    [[nodiscard]] bool connected() const { return connected_; }
    [[nodiscard]] SSL* ssl() const { return ssl_; }
    void send(std::string_view bytes) {
        SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    }
    /// Reads until the bytes end in `ending`, or the server has ended the connection.
    std::string receive(std::string_view ending = {}) {
        std::string all;
        char chunk[16 * 1024];
        while (ending.empty() || !all.ends_with(ending)) {
            const int got = SSL_read(ssl_, chunk, sizeof chunk);
            if (got <= 0) {
                farewell_ = SSL_get_error(ssl_, got) == SSL_ERROR_ZERO_RETURN;
                break;
            }
            all.append(chunk, static_cast<std::size_t>(got));
        }
        return all;
    }
    [[nodiscard]] bool heard_farewell() const { return farewell_; }

private:
    RawClient client_;
    SSL_CTX* context_;
    SSL* ssl_ = nullptr;
    bool connected_ = false;
    bool farewell_ = false;
};

struct TlsTest : ServerTest {
    TlsTest() {
        options.tls_certificate = folder.file("certificate.pem");
        options.tls_key = folder.file("key.pem");
        make_certificate(options.tls_certificate, options.tls_key);
    }

    merpati::testing::TemporaryFolder folder;
};

constexpr std::string_view last_request =
    "GET /path/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

TEST_F(TlsTest, AnswersAndSaysFarewell) {
    start();
    TlsClient client{connect(), "\x08http/1.1"};
    ASSERT_TRUE(client.connected());
    EXPECT_STREQ(SSL_get_version(client.ssl()), "TLSv1.3");
    const unsigned char* protocol = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(client.ssl(), &protocol, &size);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(protocol), size), "http/1.1");
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    client.send(last_request);
    const std::string answers = client.receive();
    EXPECT_NE(answers.find("\r\n\r\nhi"), std::string::npos);
    EXPECT_NE(answers.find("\r\n\r\n/path/1|"), std::string::npos);
    EXPECT_TRUE(client.heard_farewell());
}

TEST_F(TlsTest, SpeaksTls12ButNothingOlder) {
    start();
    TlsClient newer{connect(), {}, TLS1_2_VERSION};
    EXPECT_TRUE(newer.connected());
    newer.send(last_request);
    EXPECT_TRUE(newer.receive().starts_with("HTTP/1.1 200 OK"));
    const TlsClient older{connect(), {}, TLS1_1_VERSION};
    EXPECT_FALSE(older.connected());
}

TEST_F(TlsTest, RefusesAClientThatOffersOnlyOtherProtocols) {
    start();
    const TlsClient client{connect(), "\x02h2"};
    EXPECT_FALSE(client.connected());
    TlsClient both{connect(), "\x02h2\x08http/1.1"};
    EXPECT_TRUE(both.connected());
}

TEST_F(TlsTest, SendsLargeAnswersAndTakesLargeBodies) {
    const std::string large(5'000'000, 'l');
    router.add(Method::get, "/large", [&](const Request&, Responder responder) {
        responder.send({.body = large, .close = true});
    });
    start();
    TlsClient client{connect()};
    const std::string body(65536, 'b');
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n" + body);
    std::string answer = client.receive(body);
    EXPECT_TRUE(answer.ends_with(body));
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    answer = client.receive();
    EXPECT_TRUE(answer.ends_with(large));
    EXPECT_TRUE(client.heard_farewell());
}

TEST_F(TlsTest, RefusesHostileRequestsLikeElsewhere) {
    start();
    TlsClient client{connect()};
    client.send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_TRUE(client.heard_farewell());
}

TEST_F(TlsTest, ClosesOnPlainHttp) {
    start();
    auto client = connect();
    client.send("GET /path/1 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive_all().find("HTTP/1.1"), std::string::npos);
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
}

TEST_F(TlsTest, ClosesWhenTheHandshakeDoesNotEnd) {
    start();
    auto client = connect();
    client.send("\x16\x03\x01");
    EXPECT_TRUE(passing_time(1s, [&] { return client.is_readable(0ms); }));
    EXPECT_TRUE(client.is_closed());
}

TEST_F(TlsTest, SurvivesClientsThatVanish) {
    start();
    for (int i = 0; i < 10; ++i) {
        const TlsClient client{connect()};
        EXPECT_TRUE(client.connected());
    }
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
}

TEST_F(TlsTest, AsksNobodyForThePassPhraseOfAKey) {
    make_certificate(options.tls_certificate, options.tls_key, "secret");
    Server other{clock, random, options, router, local_router, refusal_text};
    const auto started = other.start();
    ASSERT_FALSE(started);
    EXPECT_NE(started.error().detail.find(options.tls_key + " is encrypted"), std::string::npos);
    EXPECT_NE(started.error().detail.find("openssl pkey"), std::string::npos);
}

TEST_F(TlsTest, BoundsHandshakesThatDoNotEndAndLetsOthersThrough) {
    options.limits.anonymous_bytes_max = IoThread::bytes_min;
    start();
    std::vector<RawClient> unfinished;
    for (int i = 0; i < 100; ++i) {
        unfinished.push_back(connect());
        unfinished.back().send("\x16\x03\x01\x02");
    }
    ASSERT_TRUE(eventually([&] {
        return server->counts().connections_total == 100 && server->counts().connections_open < 30;
    }));
    EXPECT_GE(server->counts().shed_total, 70U);
    EXPECT_GE(server->counts().connections_open, 10U);
    TlsClient client{connect("127.0.0.2")};
    ASSERT_TRUE(client.connected());
    client.send(last_request);
    EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200 OK"));
}

TEST_F(TlsTest, SaysWhatIsWrongWithItsFiles) {
    const auto start_with = [&](const std::string& certificate, const std::string& key) {
        Options wrong = options;
        wrong.tls_certificate = certificate;
        wrong.tls_key = key;
        Server other{clock, random, wrong, router, local_router, refusal_text};
        const auto started = other.start();
        EXPECT_FALSE(started);
        EXPECT_EQ(started.error().code, ErrorCode::io_failed);
        return started.error().detail;
    };
    const std::string missing = folder.file("missing.pem");
    EXPECT_NE(start_with(missing, options.tls_key).find(missing), std::string::npos);
    EXPECT_NE(start_with(options.tls_certificate, missing).find(missing), std::string::npos);
    EXPECT_NE(start_with(options.tls_certificate, "").find("both"), std::string::npos);
    const std::string other_key = folder.file("other-key.pem");
    make_certificate(folder.file("other.pem"), other_key);
    EXPECT_NE(start_with(options.tls_certificate, other_key).find(other_key), std::string::npos);
    std::ofstream{missing} << "not PEM";
    EXPECT_NE(start_with(missing, options.tls_key).find(missing), std::string::npos);
}

TEST_F(TlsTest, AClientThatPipelinesManyRequestsDoesNotHoldUpOthers) {
    constexpr std::size_t flood = 6'000;
    std::atomic<std::size_t> handled = 0;
    std::size_t honest_place = 0;
    std::promise<void> arrived;
    router.add(Method::get, "/flood", [&](const Request&, Responder responder) {
        if (handled++ == 0) {
            arrived.get_future().wait();  // Until the honest client's request is there, too.
        }
        responder.send({});
    });
    router.add(Method::get, "/honest", [&](const Request&, Responder responder) {
        honest_place = handled;
        responder.send({});
    });
    start();
    TlsClient honest{connect()};
    TlsClient bad{connect()};
    ASSERT_TRUE(honest.connected() && bad.connected());
    std::string requests;
    for (std::size_t number = 0; number < flood; ++number) {
        requests += "GET /flood HTTP/1.1\r\nHost: a\r\n\r\n";
    }
    std::thread reader{[&] {
        bad.send(requests);
        for (std::size_t ends = 0; ends < flood;) {
            const auto some = bad.receive("\r\n\r\n");
            for (auto at = some.find("\r\n\r\n"); at != std::string::npos;
                 at = some.find("\r\n\r\n", at + 4)) {
                ++ends;
            }
        }
    }};
    EXPECT_TRUE(eventually([&] { return handled == 1; }));
    honest.send("GET /honest HTTP/1.1\r\nHost: a\r\n\r\n");
    arrived.set_value();
    EXPECT_NE(honest.receive("\r\n\r\n").find("200 OK"), std::string::npos);
    reader.join();
    EXPECT_EQ(handled, flood);
    EXPECT_LT(honest_place, flood / 2);
}

}  // namespace
}  // namespace merpati::http::testing
