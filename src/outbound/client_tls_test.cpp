#include <cstdio>
#include <optional>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/assert.hpp"
#include "outbound/client_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::outbound {
namespace {

/// A server with a self-signed certificate for example.test.
struct ClientTlsTest : ::testing::Test {
    ClientTlsTest() {
        resolver.will_answer({"127.0.0.1"});
        write_certificate();
        server_tls.use_certificate_file(certificate, asio::ssl::context::pem);
        server_tls.use_private_key_file(key, asio::ssl::context::pem);
        server.emplace(
            io,
            [](int, const std::string&) {
                return ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"};
            },
            &server_tls);
    }

    void write_certificate() const {
        EVP_PKEY* pair = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
        X509* made = X509_new();
        X509_set_version(made, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
        X509_gmtime_adj(X509_getm_notBefore(made), -3600);
        X509_gmtime_adj(X509_getm_notAfter(made), 3600);
        X509_set_pubkey(made, pair);
        X509_EXTENSION* names =
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:example.test");
        X509_add_ext(made, names, -1);
        X509_EXTENSION_free(names);
        auto* name = X509_get_subject_name(made);
        const std::string common = "example.test";
        X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(common.data()), -1, -1,
                                   0);
        X509_set_issuer_name(made, name);
        invariant(X509_sign(made, pair, EVP_sha256()) > 0, "the certificate can be signed");
        auto* file = std::fopen(certificate.c_str(), "w");
        PEM_write_X509(file, made);
        std::fclose(file);
        file = std::fopen(key.c_str(), "w");
        PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
        X509_free(made);
        EVP_PKEY_free(pair);
    }

    Result<Response> fetch(const std::string& host, const std::string& ca_file) {
        Client client{clock, io.get_executor(), policy, resolver, {.ca_file = ca_file}};
        auto result = fetch(client, host);
        client.close();
        return result;
    }

    Result<Response> fetch(Client& client, const std::string& host) {
        std::optional<Result<Response>> result;
        Request request{.method = "GET"};
        request.url = Url::parse("https://" + host + ":" + std::to_string(server->port())).value();
        client.send(request, [&result](Result<Response> got) { result = std::move(got); });
        while (!result && io.run_one_for(std::chrono::seconds{15}) > 0) {
        }
        return result ? std::move(*result) : fail(ErrorCode::busy, "the handler was not called");
    }

    /// Handshakes in which a client has resumed its session.
    [[nodiscard]] long resumed_handshakes() {
        return SSL_CTX_sess_hits(server_tls.native_handle());
    }

    testing::TemporaryFolder folder;
    std::string certificate = folder.file("certificate.pem");
    std::string key = folder.file("key.pem");
    asio::io_context io;
    asio::ssl::context server_tls{asio::ssl::context::tls_server};
    SystemClock clock;
    AddressPolicy policy{{Cidr::parse("127.0.0.0/8").value()}};
    ScriptedResolver resolver{io};
    std::optional<ScriptedServer> server;
};

TEST_F(ClientTlsTest, SpeaksToAServerWhoseAuthorityIsInTheFile) {
    const auto response = fetch("example.test", certificate);
    ASSERT_TRUE(response) << response.error().describe();
    EXPECT_EQ(response->body, "hi");
}

TEST_F(ClientTlsTest, ResumesTheSessionAfterItsLastConnectionWasClosed) {
    Client client{clock,
                  io.get_executor(),
                  policy,
                  resolver,
                  {.ca_file = certificate, .pool_idle = std::chrono::seconds{0}}};
    ASSERT_TRUE(fetch(client, "example.test"));
    EXPECT_EQ(resumed_handshakes(), 0);
    io.run_for(std::chrono::milliseconds{200});  // The sweep closes the idle connection.
    ASSERT_TRUE(fetch(client, "example.test"));
    EXPECT_EQ(resumed_handshakes(), 1);
    client.close();
}

TEST_F(ClientTlsTest, SendsNothingToAServerOfAnUnknownAuthority) {
    const auto response = fetch("example.test", "");
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::unreachable);
    EXPECT_EQ(server->requests, 0);
}

TEST_F(ClientTlsTest, SendsNothingToAServerOfAnotherName) {
    for (const auto* host : {"other.test", "sub.example.test", "127.0.0.1"}) {
        const auto response = fetch(host, certificate);
        ASSERT_FALSE(response) << host;
        EXPECT_EQ(response.error().code, ErrorCode::unreachable) << host;
    }
    EXPECT_EQ(server->requests, 0);
}

TEST_F(ClientTlsTest, TellsAFileOfAuthoritiesThatCannotBeRead) {
    const Client client{
        clock, io.get_executor(), policy, resolver, {.ca_file = folder.file("none")}};
    ASSERT_FALSE(client.ready());
    EXPECT_EQ(client.ready().error().code, ErrorCode::io_failed);
}

}  // namespace
}  // namespace merpati::outbound
