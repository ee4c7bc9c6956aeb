// People and their sessions in memory, so that a request with a cookie reads no database.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/ordered_map.hpp"
#include "base/rate_bucket.hpp"
#include "model/person.hpp"
#include "store/people.hpp"
#include "store/records.hpp"

namespace merpati::people {

/// How long sessions last.
struct SessionLimits {
    std::chrono::seconds idle{std::chrono::hours{12}};
    std::chrono::seconds longest{std::chrono::days{30}};
};

/// A session in memory. Only the time of its last request changes.
class SessionEntry {
public:
    explicit SessionEntry(const model::Session& session)
        : session_(session),
          seen_at_(to_unix_millis(session.seen_at)),
          written_at_(to_unix_millis(session.seen_at)) {}

    [[nodiscard]] const model::Session& session() const noexcept { return session_; }
    [[nodiscard]] Timestamp seen_at() const noexcept {
        return from_unix_millis(seen_at_.load(std::memory_order_relaxed));
    }
    [[nodiscard]] bool is_live(const SessionLimits& limits, Timestamp now) const noexcept {
        return now < seen_at() + limits.idle && now < session_.created_at + limits.longest;
    }
    /// When it ends if no further request comes.
    [[nodiscard]] Timestamp ends_at(const SessionLimits& limits) const noexcept;

    /// Notes a request. True if its time must be stored: once a minute, or in each quarter of
    /// `limits.idle` if that is shorter. The end of the process loses no more than that.
    [[nodiscard]] bool note_seen(const SessionLimits& limits, Timestamp now) noexcept;

    /// Notes a request whose time is stored already, perhaps by another process.
    void note_stored(Timestamp seen_at) noexcept;

private:
    const model::Session session_;
    std::atomic<std::int64_t> seen_at_;
    std::atomic<std::int64_t> written_at_;
};

/// The rate buckets of a person, which all sessions of the person share.
struct PersonRates {
    RateBucket calls;    // Of all calls,
    RateBucket changes;  // and of those that may change something.
};

/// A session and its person.
struct SignedIn {
    std::shared_ptr<const model::Person> person;
    std::shared_ptr<SessionEntry> session;
    std::shared_ptr<PersonRates> rates;
};

/// People and their sessions: the part of admission::Directory that holds them, with its rules.
class PeopleDirectory {
public:
    PeopleDirectory();
    ~PeopleDirectory();

    /// Errors: store_failed.
    [[nodiscard]] Result<void> load(store::PeopleReader& reader);

    /// By the digest of the token. Says nothing about whether the session is live.
    [[nodiscard]] std::optional<SignedIn> find_session(const Sha256& digest) const;
    /// Null if there is none; the record is replaced, never changed.
    [[nodiscard]] std::shared_ptr<const model::Person> find(model::PersonId id) const;
    [[nodiscard]] std::shared_ptr<const model::Person> find(std::string_view email) const;

    // The lists cost as much as they answer.
    /// Everybody, ordered by id.
    [[nodiscard]] std::vector<std::shared_ptr<const model::Person>> all(
        const ListPart<model::PersonId>& part = {}) const;
    /// Ordered by id.
    [[nodiscard]] std::vector<std::shared_ptr<const model::Person>> members_of(
        model::AccountId account, const ListPart<model::PersonId>& part = {}) const;
    /// The person's, newest first.
    [[nodiscard]] std::vector<std::shared_ptr<SessionEntry>> sessions_of(
        model::PersonId person) const;

    /// Whether a session of the person began at this address and has not ended. Takes the same time
    /// for everybody, also for an id that nobody has.
    [[nodiscard]] bool has_session_from(model::PersonId person, std::string_view address) const;
    /// Whether a session of any person began at this address and has not ended.
    [[nodiscard]] bool has_sessions_from(std::string_view address) const;

    void apply(const store::RowChange& change);

    /// As Directory::removal_of.
    [[nodiscard]] std::optional<store::RowChange> removal_of(const store::DirectoryRow& row) const;

private:
    void put(const model::Person& person);
    void remove(const model::Person& person);
    void forget_email(const model::Person& before);
    void put(const model::Session& session);
    void end(const model::Session& session);
    void count(const model::Session& session, int change);

    struct Shards;
    std::unique_ptr<Shards> shards_;
};

}  // namespace merpati::people
