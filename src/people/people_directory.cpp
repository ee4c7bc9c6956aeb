#include "people/people_directory.hpp"

#include <algorithm>
#include <string>

#include "base/digest_hash.hpp"
#include "base/grouped_map.hpp"
#include "base/ordered_map.hpp"
#include "base/sharded_map.hpp"

namespace merpati::people {
namespace {

/// No address has a blank.
std::string key_of(model::PersonId person, std::string_view address) {
    return person.text() + ' ' + std::string{address};
}

}  // namespace

Timestamp SessionEntry::ends_at(const SessionLimits& limits) const noexcept {
    return std::min<Timestamp>(seen_at() + limits.idle, session_.created_at + limits.longest);
}

bool SessionEntry::note_seen(const SessionLimits& limits, Timestamp now) noexcept {
    const auto at = to_unix_millis(now);
    seen_at_.store(at, std::memory_order_relaxed);
    const auto step = std::min<Millis>(std::chrono::minutes{1}, limits.idle / 4).count();
    auto written = written_at_.load(std::memory_order_relaxed);
    // Of several requests at once, one writes.
    return at >= written + step &&
           written_at_.compare_exchange_strong(written, at, std::memory_order_relaxed);
}

void SessionEntry::note_stored(Timestamp seen_at) noexcept {
    for (auto* time : {&seen_at_, &written_at_}) {
        auto known = time->load(std::memory_order_relaxed);
        while (known < to_unix_millis(seen_at) &&
               !time->compare_exchange_weak(known, to_unix_millis(seen_at),
                                            std::memory_order_relaxed)) {
        }
    }
}

struct PeopleDirectory::Shards {
    ShardedMap<model::PersonId, std::shared_ptr<const model::Person>> people;
    OrderedMap<model::PersonId, std::shared_ptr<const model::Person>> by_id;
    ShardedMap<model::PersonId, std::shared_ptr<PersonRates>> rates;
    ShardedMap<std::string, model::PersonId> by_email;
    GroupedMap<model::AccountId, model::PersonId, std::shared_ptr<const model::Person>> members;
    ShardedMap<Sha256, std::shared_ptr<SessionEntry>, DigestHash> sessions;
    ShardedMap<model::SessionId, std::shared_ptr<SessionEntry>> sessions_by_id;
    GroupedMap<model::PersonId, model::SessionId, std::shared_ptr<SessionEntry>> sessions_of;
    /// By the address where they began, alone and with the person.
    ShardedMap<std::string, std::size_t> sessions_from;
};

PeopleDirectory::PeopleDirectory() : shards_(std::make_unique<Shards>()) {}
PeopleDirectory::~PeopleDirectory() = default;

Result<void> PeopleDirectory::load(store::PeopleReader& reader) {
    const auto people = reader.persons();
    if (!people) {
        return pass(people);
    }
    const auto sessions = reader.sessions();
    if (!sessions) {
        return pass(sessions);
    }
    shards_->people.clear();
    shards_->by_id.clear();
    shards_->rates.clear();
    shards_->by_email.clear();
    shards_->members.clear();
    shards_->sessions.clear();
    shards_->sessions_by_id.clear();
    shards_->sessions_of.clear();
    shards_->sessions_from.clear();
    for (const auto& person : *people) {
        put(person);
    }
    for (const auto& session : *sessions) {
        put(session);
    }
    return {};
}

std::optional<SignedIn> PeopleDirectory::find_session(const Sha256& digest) const {
    auto session = shards_->sessions.find(digest).value_or(nullptr);
    if (session == nullptr || !equal_constant_time(session->session().digest, digest)) {
        return std::nullopt;
    }
    auto person = find(session->session().person);
    auto rates = shards_->rates.find(session->session().person).value_or(nullptr);
    if (person == nullptr || rates == nullptr) {
        return std::nullopt;
    }
    return SignedIn{
        .person = std::move(person), .session = std::move(session), .rates = std::move(rates)};
}

std::shared_ptr<const model::Person> PeopleDirectory::find(model::PersonId id) const {
    return shards_->people.find(id).value_or(nullptr);
}

std::shared_ptr<const model::Person> PeopleDirectory::find(std::string_view email) const {
    const auto id = shards_->by_email.find(std::string{email});
    return id ? find(*id) : nullptr;
}

std::vector<std::shared_ptr<const model::Person>> PeopleDirectory::all(
    const ListPart<model::PersonId>& part) const {
    return shards_->by_id.part(part);
}

std::vector<std::shared_ptr<const model::Person>> PeopleDirectory::members_of(
    model::AccountId account, const ListPart<model::PersonId>& part) const {
    return shards_->members.of(account, part);
}

std::vector<std::shared_ptr<SessionEntry>> PeopleDirectory::sessions_of(
    model::PersonId person) const {
    auto found = shards_->sessions_of.of(person);
    std::ranges::reverse(found);
    return found;
}

void PeopleDirectory::apply(const store::RowChange& change) {
    if (const auto* person = std::get_if<model::Person>(&change)) {
        put(*person);
    } else if (const auto* removed = std::get_if<store::PersonRemoved>(&change)) {
        remove(removed->person);
    } else if (const auto* session = std::get_if<model::Session>(&change)) {
        put(*session);
    } else if (const auto* ended = std::get_if<store::SessionEnded>(&change)) {
        end(ended->session);
    }
}

std::optional<store::RowChange> PeopleDirectory::removal_of(const store::DirectoryRow& row) const {
    if (row.kind == store::DirectoryRow::Kind::person) {
        const auto person = find({row.id});
        return person == nullptr ? std::optional<store::RowChange>{}
                                 : store::PersonRemoved{*person};
    }
    const auto session = shards_->sessions_by_id.find({row.id});
    return session ? std::optional<store::RowChange>{store::SessionEnded{(*session)->session()}}
                   : std::nullopt;
}

void PeopleDirectory::put(const model::Person& person) {
    if (const auto before = find(person.id)) {
        if (before->email != person.email) {
            forget_email(*before);
        }
        for (const auto& membership : before->memberships) {
            if (!person.role_in(membership.account)) {
                shards_->members.remove(membership.account, person.id);
            }
        }
    }
    if (!shards_->rates.find(person.id)) {
        shards_->rates.put(person.id, std::make_shared<PersonRates>());
    }
    const auto record = std::make_shared<const model::Person>(person);
    shards_->people.put(person.id, record);
    shards_->by_id.put(person.id, record);
    shards_->by_email.put(person.email, person.id);
    for (const auto& membership : person.memberships) {
        shards_->members.put(membership.account, person.id, record);
    }
}

/// Another person may have the address already: changes of other processes come in no order.
void PeopleDirectory::forget_email(const model::Person& before) {
    if (shards_->by_email.find(before.email) == before.id) {
        shards_->by_email.remove(before.email);
    }
}

void PeopleDirectory::remove(const model::Person& person) {
    const auto before = find(person.id);
    if (before == nullptr) {
        return;
    }
    forget_email(*before);
    for (const auto& membership : before->memberships) {
        shards_->members.remove(membership.account, person.id);
    }
    shards_->people.remove(person.id);
    shards_->by_id.remove(person.id);
    shards_->rates.remove(person.id);
}

/// A session that is known was seen again: nothing else of it changes.
void PeopleDirectory::put(const model::Session& session) {
    if (const auto known = shards_->sessions.find(session.digest)) {
        (*known)->note_stored(session.seen_at);
        return;
    }
    count(session, +1);
    const auto entry = std::make_shared<SessionEntry>(session);
    shards_->sessions.put(session.digest, entry);
    shards_->sessions_by_id.put(session.id, entry);
    shards_->sessions_of.put(session.person, session.id, entry);
}

void PeopleDirectory::end(const model::Session& session) {
    const auto known = shards_->sessions.find(session.digest);
    if (!known) {
        return;
    }
    count((*known)->session(), -1);
    shards_->sessions.remove(session.digest);
    shards_->sessions_by_id.remove((*known)->session().id);
    shards_->sessions_of.remove((*known)->session().person, (*known)->session().id);
}

void PeopleDirectory::count(const model::Session& session, int change) {
    auto& counts = shards_->sessions_from;
    for (const auto& key : {session.address, key_of(session.person, session.address)}) {
        const auto number = counts.find(key).value_or(0) + static_cast<std::size_t>(change);
        if (number == 0) {
            counts.remove(key);
        } else {
            counts.put(key, number);
        }
    }
}

bool PeopleDirectory::has_session_from(model::PersonId person, std::string_view address) const {
    return shards_->sessions_from.find(key_of(person, address)).has_value();
}

bool PeopleDirectory::has_sessions_from(std::string_view address) const {
    return shards_->sessions_from.find(std::string{address}).has_value();
}

}  // namespace merpati::people
