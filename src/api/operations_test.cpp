#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/monitoring.hpp"
#include "api/operation.hpp"
#include "api/routes.hpp"

namespace merpati::api {
namespace {

/// Maps method and path ("{}" for each parameter) of an operation to the security that the
/// description gives: lines like "apiKey: [\"send\"]", "nothing", or "the default".
using Described = std::map<std::pair<std::string, std::string>, std::string>;

std::string with_holes(std::string path) {
    for (auto open = path.find('{'); open != std::string::npos; open = path.find('{', open + 2)) {
        path.replace(open, path.find('}', open) - open + 1, "{}");
    }
    return path;
}

/// All operations under `paths` in the description.
Described described() {
    Described operations;
    std::istringstream lines{std::string{openapi_yaml()}};
    std::string path;
    bool in_paths = false;
    bool in_security = false;
    auto* needs = &path;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) {
            continue;
        }
        if (!line.starts_with(' ')) {
            in_paths = line == "paths:";
        } else if (in_paths && line.starts_with("  /")) {
            path = with_holes(line.substr(2, line.find(':') - 2));
        } else if (in_paths && line.starts_with("    ") && line.at(4) != ' ') {
            auto method = line.substr(4, line.find(':') - 4);
            std::ranges::transform(method, method.begin(), ::toupper);
            needs = &operations[{method, path}];
            *needs = "the default";
            in_security = false;
        } else if (in_paths && line.starts_with("      security:")) {
            *needs = line.ends_with("[]") ? "nothing" : "";
            in_security = needs->empty();
        } else if (in_security && line.starts_with("        - ")) {
            *needs += line.substr(10) + '\n';
        } else {
            in_security = false;
        }
    }
    return operations;
}

/// The security that the description must give for an operation.
std::string needs_of(const Operation& operation) {
    switch (operation.scope) {
        case Scope::anyone:
            return "nothing";
        case Scope::metrics:
            return "{}\noperatorToken: []\n";
        case Scope::account:
            return "the default";  // A key alone.
        case Scope::catalogue:
            return operation.needs ? fmt::format("apiKey: [\"{0}\"]\nsession: [\"{0}\"]\n",
                                                 model::to_string(*operation.needs))
                                   : "session: []\n";
        case Scope::machine:
            return {};
    }
    return {};
}

TEST(OperationsTest, TheDescriptionAndTheTableHoldTheSameOperationsDoorsAndScopes) {
    Described offered;
    for (const auto& operation : operations()) {
        if (operation.scope == Scope::machine) {
            continue;  // Not offered on a network, so not in the description.
        }
        offered[{std::string{http::to_string(operation.method)}, std::string{operation.path}}] =
            needs_of(operation);
    }
    EXPECT_EQ(described(), offered);
    EXPECT_THAT(std::string{openapi_yaml()}, ::testing::HasSubstr("\nsecurity:\n  - apiKey: []\n"));
}

/// The calls of the manual's tables: the first cells, like "GET /messages/ID".
std::vector<std::string> calls_in(std::istream& manual) {
    constexpr std::string_view opening = "| `";
    std::vector<std::string> calls;
    for (std::string line; std::getline(manual, line);) {
        const auto method_end = line.find(" /");
        if (line.starts_with(opening) && method_end < line.find('`', opening.size())) {
            calls.push_back(
                line.substr(opening.size(), line.find('`', opening.size()) - opening.size()));
        }
    }
    return calls;
}

TEST(OperationsTest, TheManualHasARowForEachOperationOfTheCatalogueAndForNothingElse) {
    std::ifstream manual{MERPATI_CATALOGUE};
    constexpr std::string_view root = "/v1";
    std::set<std::string> offered;
    std::set<std::string> of_catalogue;
    for (const auto& operation : operations()) {
        if (!operation.path.starts_with(root)) {
            continue;
        }
        std::string shown{operation.path.substr(root.size())};
        if (const auto hole = shown.find("{}"); hole != std::string::npos) {
            shown.replace(hole, 2, "ID");
        }
        const auto call = fmt::format("{} {}", http::to_string(operation.method), shown);
        offered.insert(call);
        if (operation.scope == Scope::catalogue || operation.scope == Scope::machine) {
            of_catalogue.insert(call);
        }
    }
    const auto rows = calls_in(manual);
    EXPECT_THAT(rows, ::testing::IsSupersetOf(of_catalogue));
    EXPECT_THAT(rows, ::testing::IsSubsetOf(offered)) << "each is named once";
}

TEST(OperationsTest, EachIsThereOnce) {
    std::set<std::pair<http::Method, std::string_view>> seen;
    for (const auto& operation : operations()) {
        EXPECT_TRUE(seen.emplace(operation.method, operation.path).second) << operation.path;
    }
}

TEST(OperationsTest, WhatAPathOfTheCatalogueNamesIsKnownByItsKind) {
    for (const auto& operation : operations()) {
        if (operation.scope == Scope::catalogue || operation.scope == Scope::machine ||
            operation.path.starts_with("/v1/session")) {
            EXPECT_EQ(operation.path.contains("{}"), operation.resource != Resource::none)
                << operation.path;
        }
    }
}

TEST(OperationsTest, PostsTakeIdempotencyKeysAndOnlySendingHasRevisions) {
    for (const auto& operation : operations()) {
        const bool posts = operation.method == http::Method::post;
        const bool is_known = operation.scope == Scope::account || operation.needs;
        EXPECT_TRUE(!operation.idempotent || posts) << operation.path;
        EXPECT_TRUE(operation.idempotent || !posts || !is_known || operation.is_upload())
            << operation.path;
        EXPECT_EQ(operation.has_revisions, operation.path == "/v1/send") << operation.path;
    }
}

TEST(OperationsTest, WhatCanBeChangedIsShownWithTheSameETag) {
    std::map<std::string_view, std::span<const std::string_view>> edited;
    for (const auto& operation : operations()) {
        if (operation.method == http::Method::get) {
            edited[operation.path] = operation.edited;
        }
    }
    for (const auto& operation : operations()) {
        const bool changes = operation.method == http::Method::patch ||
                             operation.method == http::Method::put ||
                             operation.method == http::Method::del;
        if (changes && edited.contains(operation.path)) {
            EXPECT_EQ(operation.edited.data(), edited[operation.path].data()) << operation.path;
        }
    }
}

TEST(OperationsTest, WhatIsUnderAdminNeedsTheScopeAndNothingElseDoes) {
    for (const auto& operation : operations()) {
        EXPECT_EQ(operation.needs == model::Scope::admin, operation.path.starts_with("/v1/admin/"))
            << operation.path;
        EXPECT_TRUE(operation.scope == Scope::catalogue || operation.scope == Scope::machine ||
                    !operation.needs)
            << operation.path;
    }
}

/// Those that concern an account and do not say so would be carried out wherever they come.
TEST(OperationsTest, OnlyTheseAreCarriedOutByWhoeverIsAsked) {
    std::set<std::string_view> asked;
    std::set<std::string_view> of_all;
    for (const auto& operation : operations()) {
        switch (place_of(operation)) {
            case Place::asked:
                asked.insert(operation.path);
                break;
            case Place::all:
                of_all.insert(operation.path);
                break;
            case Place::people:
                EXPECT_TRUE(operation.path.starts_with("/v1/session") ||
                            operation.path.starts_with("/v1/invitation"))
                    << operation.path;
                break;
            case Place::account:
                break;
        }
    }
    EXPECT_EQ(asked,
              (std::set<std::string_view>{"/healthz", "/readyz", "/openapi.yaml", "/openapi.json",
                                          "/version", "/v1/errors", "/v1/media-types",
                                          "/v1/platform/cloud", "/metrics", "/v1/admin/backup"}));
    EXPECT_EQ(of_all, std::set<std::string_view>{"/v1/platform/cloud"});
}

}  // namespace
}  // namespace merpati::api
