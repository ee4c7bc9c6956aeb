// How a store's URL is connected to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace merpati::store::postgres {

/// Settings of a connection in libpq's words, as arrays for PQconnectdbParams. May hold a password:
/// never shown.
class ConnectionSettings {
public:
    /// Reads "postgresql://…", which may name several hosts. What the URL leaves open gets a value
    /// that suits the gateway: a primary is looked for (target_session_attrs), and a server that
    /// does not answer is given up after seconds. libpq takes the rest from its environment, such
    /// as PGPASSFILE. Errors: invalid_argument; its detail shows nothing of the URL.
    [[nodiscard]] static Result<ConnectionSettings> parse(std::string_view url);

    /// The value of one setting; "": none.
    [[nodiscard]] std::string_view value_of(std::string_view name) const noexcept;

    /// "db-1,db-2" for messages; "the local server" without a host.
    [[nodiscard]] std::string server() const;

    // NULL-terminated, valid as long as this object.
    [[nodiscard]] std::vector<const char*> names() const;
    [[nodiscard]] std::vector<const char*> values() const;

private:
    struct Setting {
        std::string name;
        std::string value;
    };

    void set_default(std::string_view name, std::string_view value);

    std::vector<Setting> settings_;
};

}  // namespace merpati::store::postgres
