// The methods of StoredPeople for persons and memberships.
#include <string>

#include <fmt/format.h>

#include "store/sql/rows.hpp"
#include "store/sql/stored_people.hpp"

namespace merpati::store::sql {
namespace {

std::unexpected<Error> no_person() {
    return fail(ErrorCode::not_found, "there is no such person");
}

/// `lock`: as Connection::for_update.
std::string select_persons(const char* condition, std::string_view lock = {}) {
    return fmt::format("SELECT {} FROM person p WHERE {}{}", person_columns, condition, lock);
}

void read_memberships(Connection& connection, model::Person& person) {
    Statement find{connection, std::string{"SELECT "} + membership_columns +
                                   " FROM membership m WHERE m.person = ? ORDER BY m.account"};
    auto row = find.query(person.id.value);
    while (row.next()) {
        person.memberships.push_back(read_membership(row, 0));
    }
}

std::optional<model::Person> first_person(Connection& connection, Cursor row) {
    if (!row.next()) {
        return std::nullopt;
    }
    auto person = read_person(row);
    read_memberships(connection, person);
    return person;
}

}  // namespace

Result<std::optional<model::Person>> StoredPeople::find_person(model::PersonId id) {
    Statement find{connection_, select_persons("p.id = ?", connection_.for_update())};
    return first_person(connection_, find.query(id.value));
}

Result<std::optional<model::Person>> StoredPeople::find_person(std::string_view email) {
    Statement find{connection_, select_persons("p.email = ?", connection_.for_update())};
    return first_person(connection_, find.query(email));
}

Result<std::optional<model::Person>> StoredPeople::find_person_unlocked(model::PersonId id) {
    Statement find{connection_, select_persons("p.id = ?")};
    return first_person(connection_, find.query(id.value));
}

/// Keeps other programs from removing the person until the transaction ends. A program that writes
/// alone has found the person before.
Result<void> StoredPeople::hold(model::PersonId id) {
    if (!connection_.has_other_writers()) {
        return {};
    }
    Statement find{connection_,
                   fmt::format("SELECT 1 FROM person WHERE id = ?{}", connection_.for_update())};
    return find.query(id.value).next() ? Result<void>{} : no_person();
}

Result<model::Person> StoredPeople::written_person(model::PersonId id) {
    auto person = find_person(id);
    if (!person) {
        return pass(person);
    }
    if (!*person) {
        return no_person();
    }
    row_changes_.emplace_back(**person);
    return **std::move(person);
}

Result<void> StoredPeople::check_email(std::string_view email, model::PersonId owner) {
    Statement find{connection_, "SELECT id FROM person WHERE email = ?"};
    auto row = find.query(email);
    if (row.next() && row.integer(0) != owner.value) {
        return fail(ErrorCode::conflict, "the e-mail address is another person's");
    }
    return {};
}

Result<model::Person> StoredPeople::create_person(const model::Person& person) {
    if (auto free = check_email(person.email, {}); !free) {
        return pass(free);
    }
    Statement insert{connection_,
                     "INSERT INTO person(email, admin, password_hash, created_at) "
                     "VALUES(?,?,?,?) RETURNING id"};
    return written_person({insert_row(insert, person.email, person.is_admin, person.password_hash,
                                      person.created_at)});
}

Result<model::Person> StoredPeople::update_person(model::PersonId person,
                                                  const PersonPatch& patch) {
    if (patch.email) {
        if (auto free = check_email(*patch.email, person); !free) {
            return pass(free);
        }
    }
    Statement update{connection_,
                     "UPDATE person SET email = coalesce(?2, email), admin = coalesce(?3, admin), "
                     "password_hash = coalesce(?4, password_hash) WHERE id = ?1"};
    update.run(person.value, patch.email, patch.is_admin, patch.password_hash);
    return written_person(person);
}

Result<void> StoredPeople::remove_person(model::PersonId person) {
    const auto found = find_person(person);
    if (!found) {
        return pass(found);
    }
    if (!*found) {
        return no_person();
    }
    if (auto ended = end_sessions(person, std::nullopt); !ended) {
        return pass(ended);
    }
    for (const char* sql :
         {"DELETE FROM membership WHERE person = ?", "DELETE FROM sign_in_link WHERE person = ?",
          "DELETE FROM recovery_code WHERE person = ?", "DELETE FROM person WHERE id = ?"}) {
        Statement remove{connection_, sql};
        remove.run(person.value);
    }
    row_changes_.emplace_back(PersonRemoved{**found});
    return {};
}

/// Counts rows, and locks them: of two programs that count the last two, one waits for what the
/// other writes.
std::string StoredPeople::count_locked(const char* rows) const {
    return connection_.has_other_writers()
               ? fmt::format("SELECT count(*) FROM (SELECT 1 FROM {}{}) counted", rows,
                             connection_.for_update())
               : fmt::format("SELECT count(*) FROM {}", rows);
}

Result<std::size_t> StoredPeople::count_administrators() {
    Statement count{connection_, count_locked("person WHERE admin <> 0")};
    return static_cast<std::size_t>(first_integer(count.query()));
}

Result<model::Person> StoredPeople::put_membership(model::PersonId person,
                                                   const model::Membership& membership) {
    {
        Statement find{connection_, fmt::format("SELECT (SELECT id FROM person WHERE id = ?1{}), "
                                                "(SELECT id FROM account WHERE id = ?2)",
                                                connection_.for_update())};
        auto row = find.query(person.value, membership.account.value);
        if (!row.next() || row.null(0)) {
            return no_person();
        }
        if (row.null(1)) {
            return fail(ErrorCode::not_found, "there is no such account");
        }
    }
    Statement put{connection_,
                  "INSERT INTO membership(person, account, role, since) VALUES(?1, ?2, ?3, ?4) "
                  "ON CONFLICT(person, account) DO UPDATE SET role = ?3"};
    put.run(person.value, membership.account.value, model::to_string(membership.role),
            membership.since);
    return written_person(person);
}

Result<model::Person> StoredPeople::remove_membership(model::PersonId person,
                                                      model::AccountId account) {
    Statement remove{connection_, "DELETE FROM membership WHERE person = ? AND account = ?"};
    remove.run(person.value, account.value);
    if (connection_.changes() == 0) {
        return fail(ErrorCode::not_found, "the account has no such person");
    }
    return written_person(person);
}

Result<std::size_t> StoredPeople::count_owners(model::AccountId account) {
    Statement count{connection_, count_locked("membership WHERE account = ? AND role = 'owner'")};
    return static_cast<std::size_t>(first_integer(count.query(account.value)));
}

Result<std::size_t> StoredPeople::count_members(model::AccountId account) {
    Statement count{connection_, "SELECT count(*) FROM membership WHERE account = ?"};
    return static_cast<std::size_t>(first_integer(count.query(account.value)));
}

}  // namespace merpati::store::sql
