#include "store/postgres/connection_settings.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <libpq-fe.h>

#include "model/store_url.hpp"

namespace merpati::store::postgres {
namespace {

/// A server whose machine has gone is noticed after about 20 s, also while nothing is sent.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> defaults{{
    {"target_session_attrs", "read-write"},
    {"connect_timeout", "5"},
    {"keepalives_idle", "10"},
    {"keepalives_interval", "3"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "20000"},
    {"fallback_application_name", "merpati"},
}};

/// libpq takes what follows the first '@' for the host, and its messages show hosts. A password
/// with an unescaped '@' or '/' would be shown in part.
bool has_plain_authority(std::string_view url) {
    const auto rest = url.substr(model::postgresql_scheme.size());
    return std::ranges::count(rest.substr(0, rest.find('?')), '@') <= 1;
}

}  // namespace

Result<ConnectionSettings> ConnectionSettings::parse(std::string_view url) {
    constexpr auto malformed =
        "store.url is not a URL of PostgreSQL: write postgresql://USER@HOST:PORT/DATABASE, with "
        "%40 for '@', %2F for '/' and so on in names and passwords";
    if (!model::is_postgresql(url) || !has_plain_authority(url)) {
        return fail(ErrorCode::invalid_argument, malformed);
    }
    // libpq's own message is not shown: it may hold parts of the password.
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(std::string{url}.c_str(), &message), &PQconninfoFree};
    PQfreemem(message);
    if (!options) {
        return fail(ErrorCode::invalid_argument, malformed);
    }
    ConnectionSettings parsed;
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr && std::string_view{option->keyword} != "client_encoding") {
            parsed.settings_.push_back({.name = option->keyword, .value = option->val});
        }
    }
    parsed.settings_.push_back({.name = "client_encoding", .value = "UTF8"});
    for (const auto& [name, value] : defaults) {
        parsed.set_default(name, value);
    }
    return parsed;
}

void ConnectionSettings::set_default(std::string_view name, std::string_view value) {
    if (value_of(name).empty()) {
        settings_.push_back({.name = std::string{name}, .value = std::string{value}});
    }
}

std::string_view ConnectionSettings::value_of(std::string_view name) const noexcept {
    const auto found = std::ranges::find(settings_, name, &Setting::name);
    return found == settings_.end() ? std::string_view{} : found->value;
}

std::string ConnectionSettings::server() const {
    const auto host = value_of("host");
    return host.empty() ? "the local server" : std::string{host};
}

std::vector<const char*> ConnectionSettings::names() const {
    std::vector<const char*> all;
    for (const auto& setting : settings_) {
        all.push_back(setting.name.c_str());
    }
    all.push_back(nullptr);
    return all;
}

std::vector<const char*> ConnectionSettings::values() const {
    std::vector<const char*> all;
    for (const auto& setting : settings_) {
        all.push_back(setting.value.c_str());
    }
    all.push_back(nullptr);
    return all;
}

}  // namespace merpati::store::postgres
