// The methods of StoredPeople for sessions, sign-in links and second factors.
#include <string>

#include <fmt/format.h>

#include "store/sql/rows.hpp"
#include "store/sql/stored_people.hpp"

namespace merpati::store::sql {
namespace {

using Blob = std::span<const std::byte>;

std::string select_sessions(const char* condition) {
    return std::string{"SELECT "} + session_columns + " FROM session s WHERE " + condition;
}

}  // namespace

/// The condition has two parameters: ?1 is the value, ?2 the limit.
std::vector<model::Session> StoredPeople::sessions_where(const char* condition, std::int64_t value,
                                                         std::size_t limit) {
    Statement find{connection_, select_sessions(condition)};
    return all_rows(find.query(value, limit), read_session);
}

void StoredPeople::end(const std::vector<model::Session>& sessions) {
    Statement remove{connection_, "DELETE FROM session WHERE id = ?"};
    for (const auto& session : sessions) {
        remove.run(session.id.value);
        row_changes_.emplace_back(SessionEnded{session});
    }
}

Result<model::Session> StoredPeople::create_session(const model::Session& session) {
    if (auto held = hold(session.person); !held) {
        return pass(held);
    }
    // Skips the sessions that were seen last, and leaves one place for the new session.
    end(sessions_where("s.person = ?1 ORDER BY s.seen_at DESC, s.id DESC LIMIT 1000000 OFFSET ?2",
                       session.person.value, sessions_max - 1));
    Statement insert{connection_,
                     "INSERT INTO session(person, digest, sign_in, address, agent, created_at, "
                     "seen_at) VALUES(?,?,?,?,?,?,?) RETURNING id"};
    auto begun = session;
    begun.id = {insert_row(insert, session.person.value, Blob{session.digest},
                           static_cast<int>(session.by), session.address, session.agent,
                           session.created_at, session.seen_at)};
    row_changes_.emplace_back(begun);
    return begun;
}

Result<std::optional<model::Session>> StoredPeople::find_session(model::SessionId id) {
    auto found = sessions_where("s.id = ?1 LIMIT ?2", id.value, 1);
    return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

Result<void> StoredPeople::touch_session(model::SessionId session, Timestamp seen_at) {
    Statement update{connection_, "UPDATE session SET seen_at = ?2 WHERE id = ?1 AND seen_at < ?2"};
    update.run(session.value, seen_at);
    if (connection_.changes() > 0) {
        auto touched = sessions_where("s.id = ?1 LIMIT ?2", session.value, 1);
        row_changes_.insert(row_changes_.end(), touched.begin(), touched.end());
    }
    return {};
}

Result<bool> StoredPeople::end_session(model::SessionId session) {
    const auto found = sessions_where("s.id = ?1 LIMIT ?2", session.value, 1);
    end(found);
    return !found.empty();
}

Result<std::size_t> StoredPeople::end_sessions(model::PersonId person,
                                               std::optional<model::SessionId> kept) {
    auto found = sessions_where("s.person = ?1 LIMIT ?2", person.value, sessions_max);
    std::erase_if(found, [&](const model::Session& session) { return session.id == kept; });
    end(found);
    return found.size();
}

Result<void> StoredPeople::put_link(const SignInLink& link) {
    if (auto held = hold(link.person); !held) {
        return held;
    }
    Statement forget{connection_,
                     "DELETE FROM sign_in_link WHERE digest IN (SELECT digest FROM sign_in_link "
                     "WHERE person = ? ORDER BY expires_at DESC LIMIT 1000000 OFFSET ?)"};
    forget.run(link.person.value, links_max - 1);
    Statement insert{connection_,
                     "INSERT INTO sign_in_link(digest, person, expires_at) "
                     "VALUES(?,?,?)"};
    insert.run(Blob{link.digest}, link.person.value, link.expires_at);
    return {};
}

/// The person is locked first, as by who removes the person with all links.
Result<std::optional<model::PersonId>> StoredPeople::take_link(const Sha256& digest,
                                                               Timestamp now) {
    if (connection_.has_other_writers()) {
        Statement lock{connection_, fmt::format("SELECT 1 FROM person WHERE id = (SELECT person "
                                                "FROM sign_in_link WHERE digest = ?){}",
                                                connection_.for_update())};
        lock.run(Blob{digest});
    }
    std::optional<model::PersonId> person;
    // One statement: of two programs that are given the link at once, one finds it.
    Statement take{connection_,
                   "DELETE FROM sign_in_link WHERE digest = ? RETURNING person, expires_at"};
    for (auto row = take.query(Blob{digest}); row.next();) {
        if (row.integer(1) > to_unix_millis(now)) {
            person = model::PersonId{row.integer(0)};
        }
    }
    return person;
}

Result<void> StoredPeople::remove_links(model::PersonId person) {
    Statement remove{connection_, "DELETE FROM sign_in_link WHERE person = ?"};
    remove.run(person.value);
    return {};
}

Result<std::optional<SecondFactor>> StoredPeople::find_second_factor(model::PersonId person) {
    Statement find{connection_,
                   fmt::format("SELECT totp_secret, totp_confirmed, totp_step, (SELECT count(*) "
                               "FROM recovery_code r WHERE r.person = p.id) FROM person p "
                               "WHERE p.id = ? AND totp_secret IS NOT NULL{}",
                               connection_.for_update())};
    auto row = find.query(person.value);
    if (!row.next()) {
        return std::nullopt;
    }
    auto secret = secrets_.unseal(row.blob(0));
    if (!secret) {
        return pass(secret);
    }
    return SecondFactor{.secret = std::move(*secret),
                        .confirmed = row.integer(1) != 0,
                        .last_step = row.integer(2),
                        .recovery_codes = row.number<std::uint32_t>(3)};
}

Result<void> StoredPeople::begin_second_factor(model::PersonId person, const Bytes& secret) {
    const auto sealed = secrets_.seal(secret);
    put_totp_secret(person, Blob{sealed});
    auto written = written_person(person);
    return written ? Result<void>{} : pass(written);
}

/// Empty: none. What belonged to the one before is forgotten.
void StoredPeople::put_totp_secret(model::PersonId person,
                                   std::optional<std::span<const std::byte>> sealed) {
    Statement update{connection_,
                     "UPDATE person SET totp_secret = ?2, totp_confirmed = 0, totp_step = 0 "
                     "WHERE id = ?1"};
    update.run(person.value, sealed);
    Statement forget{connection_, "DELETE FROM recovery_code WHERE person = ?"};
    forget.run(person.value);
}

Result<model::Person> StoredPeople::confirm_second_factor(
    model::PersonId person, const std::vector<Sha256>& recovery_codes) {
    Statement update{connection_,
                     "UPDATE person SET totp_confirmed = 1 "
                     "WHERE id = ? AND totp_secret IS NOT NULL"};
    update.run(person.value);
    Statement insert{
        connection_,
        "INSERT INTO recovery_code(person, digest) VALUES(?, ?) ON CONFLICT DO NOTHING"};
    for (const auto& code : recovery_codes) {
        insert.run(person.value, Blob{code});
    }
    return written_person(person);
}

Result<bool> StoredPeople::accept_step(model::PersonId person, std::int64_t step) {
    Statement update{connection_,
                     "UPDATE person SET totp_step = ?2 WHERE id = ?1 AND "
                     "totp_step < ?2"};
    update.run(person.value, step);
    return connection_.changes() > 0;
}

Result<bool> StoredPeople::take_recovery_code(model::PersonId person, const Sha256& digest) {
    Statement remove{connection_, "DELETE FROM recovery_code WHERE person = ? AND digest = ?"};
    remove.run(person.value, Blob{digest});
    return connection_.changes() > 0;
}

Result<model::Person> StoredPeople::remove_second_factor(model::PersonId person) {
    put_totp_secret(person, std::nullopt);
    return written_person(person);
}

bool StoredPeople::prune_session(const PruneLimits& limits) {
    auto old = sessions_where("s.seen_at < ?1 ORDER BY s.seen_at LIMIT ?2",
                              to_unix_millis(limits.sessions_seen_before), 1);
    if (old.empty()) {
        old = sessions_where("s.created_at < ?1 ORDER BY s.created_at LIMIT ?2",
                             to_unix_millis(limits.sessions_begun_before), 1);
    }
    end(old);
    return !old.empty();
}

}  // namespace merpati::store::sql
