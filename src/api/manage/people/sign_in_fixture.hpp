// The fixture of tests of calls that open sessions: they come over the network, from pages.
#pragma once

#include <string>
#include <string_view>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {

inline constexpr const char* credentials =
    R"({"email":"Ani@toko.example","password":"kuda lumping 7"})";

struct SignInTest : ManageTest {
    struct Reply {
        int status = 0;
        boost::json::value json;
        std::string headers;

        [[nodiscard]] std::string code() const { return json.at("code").as_string().c_str(); }
        [[nodiscard]] std::string token() const {
            const auto from = headers.find("merpati_session=") + 16;
            return headers.substr(from, headers.find(';', from) - from);
        }
    };

    Reply ask(http::Method method, std::string_view path, std::string_view body = {},
              const admission::Principal& principal = {}, std::string_view address = "203.0.113.7",
              bool is_own = true) {
        const Request request{.method = method,
                              .path = "/v1" + std::string{path},
                              .query = {},
                              .body = std::string{body},
                              .head = {.accept = {},
                                       .door = "network",
                                       .address = std::string{address},
                                       .agent = "Browser/1",
                                       .is_own = is_own,
                                       .is_secure = true,
                                       .may_sign_in = true}};
        for (const auto& operation : operations()) {
            if (operation.method == method && http::match_path(operation.path, request.path)) {
                auto outcome = manage->run(operation, request, principal);
                return {.status = outcome.status,
                        .json = boost::json::parse(outcome.body),
                        .headers = std::move(outcome.headers)};
            }
        }
        ADD_FAILURE() << path;
        return {};
    }
    Reply sign_in(std::string_view body = credentials, std::string_view address = "203.0.113.7") {
        return ask(http::Method::post, "/session", body, {}, address);
    }
    /// Whom the token of a reply signs in.
    admission::Principal principal_of(const Reply& reply) {
        auto found = directory.people().find_session(sha256(reply.token()));
        EXPECT_TRUE(found);
        return found ? admission::Principal::of(*std::move(found)) : admission::Principal{};
    }
};

}  // namespace merpati::api::manage::testing
