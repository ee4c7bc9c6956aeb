// Reads rows of people and sessions.
#include <string>

#include "store/sql/readable_rows.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_people.hpp"

namespace merpati::store::sql {
namespace {

constexpr char person_noun[] = "person";
constexpr char session_noun[] = "session";

std::string select_memberships() {
    return std::string{"SELECT "} + membership_columns +
           " FROM membership m WHERE m.person = ? ORDER BY m.account";
}

}  // namespace

model::Person read_person(const Cursor& row) {
    return {.id = {row.integer(0)},
            .email = std::string{row.text(1)},
            .is_admin = row.integer(2) != 0,
            .password_hash = std::string{row.text(3)},
            .has_second_factor = row.integer(4) != 0,
            .memberships = {},
            .created_at = row.time(5)};
}

model::Membership read_membership(const Cursor& row, int first) {
    return {.account = {row.integer(first)},
            .role = model::parse_role(row.text(first + 1)).value_or(model::Role::viewer),
            .since = row.time(first + 2)};
}

model::Session read_session(const Cursor& row) {
    return {.id = {row.integer(0)},
            .person = {row.integer(1)},
            .digest = digest_of(row.blob(2)),
            .by = row.enumerator(3, model::SignIn::link),
            .address = std::string{row.text(4)},
            .agent = std::string{row.text(5)},
            .created_at = row.time(6),
            .seen_at = row.time(7)};
}

Result<std::vector<model::Person>> StoredPeopleReader::persons() {
    auto all = readable_rows<model::Person>(
        connection_, condition_,
        {.columns = person_columns,
         .name = "person p",
         .key = "p.id",
         .note = note_row<person_noun>},
        [](const Cursor& row) -> Result<model::Person> { return read_person(row); });
    if (!all) {
        return all;
    }
    return guarded([&]() -> Result<std::vector<model::Person>> {
        Statement list{connection_, select_memberships()};
        for (auto& person : *all) {
            add_memberships(list, person);
        }
        return std::move(all);
    });
}

void StoredPeopleReader::add_memberships(model::Person& person) {
    Statement list{connection_, select_memberships()};
    add_memberships(list, person);
}

/// Damage costs the person the memberships that follow.
void StoredPeopleReader::add_memberships(Statement& list, model::Person& person) {
    try {
        auto row = list.query(person.id.value);
        while (row.next()) {
            person.memberships.push_back(read_membership(row, 0));
        }
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
        condition_.note_damage("the memberships of person " + std::to_string(person.id.value));
    }
}

Result<std::vector<model::Session>> StoredPeopleReader::sessions() {
    return readable_rows<model::Session>(
        connection_, condition_,
        {.columns = session_columns,
         .name = "session s",
         .key = "s.id",
         .note = note_row<session_noun>},
        [](const Cursor& row) -> Result<model::Session> { return read_session(row); });
}

}  // namespace merpati::store::sql
