#include "store/sqlite/schema.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "store/sqlite/books_schema.hpp"
#include "store/sqlite/campaign_schema.hpp"
#include "store/sqlite/invitation_schema.hpp"
#include "store/sqlite/platform_schema.hpp"
#include "store/sqlite/queue_schema.hpp"

namespace merpati::store::sqlite {
namespace {

// A message's row never changes. Its id is the sequence of its UUID, which ascends in time, so rows
// are appended, and ids need no index. A waiting message has a narrow row in `queue`, which is
// ordered as lanes read it: rows of one lane that are due within the same 16 s are adjacent, so
// that messages with scattered delays touch few pages. A message that has ended, or is held, has a
// row in `completion`.
constexpr const char* first_schema = R"sql(
CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE account(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  credit INTEGER,
  expires_at INTEGER,
  rate TEXT NOT NULL,
  callback_url TEXT NOT NULL,
  delivery TEXT NOT NULL,
  devices_max INTEGER NOT NULL,
  webhook_secret BLOB NOT NULL,
  webhook_secret_previous BLOB,
  previous_secret_until INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  name TEXT NOT NULL,
  hint TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  revision TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE device(
  number INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  connector TEXT NOT NULL,
  state TEXT NOT NULL,
  webhook_url TEXT NOT NULL,
  gap_min INTEGER NOT NULL,
  jitter_max INTEGER NOT NULL,
  per_day_max INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  state_since INTEGER NOT NULL
) STRICT;

CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  tail INTEGER NOT NULL,
  account INTEGER NOT NULL,
  device INTEGER NOT NULL,
  recipient TEXT NOT NULL,
  body TEXT NOT NULL,
  media_url TEXT,
  callback_url TEXT,
  flags INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;

CREATE TABLE queue(
  device INTEGER NOT NULL,
  source INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  id INTEGER NOT NULL,
  tail INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  intent INTEGER NOT NULL,
  last_details TEXT,
  PRIMARY KEY(device, source, bucket, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE completion(
  id INTEGER PRIMARY KEY,
  state INTEGER NOT NULL,
  code INTEGER NOT NULL,
  details TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  finished_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  event INTEGER
) STRICT;

CREATE TABLE callback(
  id INTEGER PRIMARY KEY,
  tail INTEGER NOT NULL,
  account INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  message INTEGER,
  message_tail INTEGER,
  url TEXT NOT NULL,
  origin_key INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  last_status INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX callback_waiting ON callback(origin_key, due_at, id) WHERE state = 0;

CREATE TABLE idempotency(
  account INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  message INTEGER,
  message_tail INTEGER,
  status INTEGER NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY(account, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency(created_at);
)sql";

// Partial indexes of messages and callbacks that operators look for among millions of others. They
// hold few rows, so they cost an ordinary message nothing.
constexpr const char* lists_of_trouble = R"sql(
CREATE INDEX completion_unsent ON completion(state) WHERE state > 2;
CREATE INDEX callback_parked ON callback(state) WHERE state > 1;
)sql";

// The spans of ids in which an account has messages or callbacks (Activity).
constexpr const char* activity = R"sql(
CREATE TABLE activity(
  account INTEGER NOT NULL,
  span INTEGER NOT NULL,
  PRIMARY KEY(account, span)
) STRICT, WITHOUT ROWID;
INSERT INTO activity
  SELECT account, id >> 40 FROM message UNION SELECT account, id >> 40 FROM callback;
)sql";

// Callbacks wait by account and origin, so that one account's endpoints do not affect another's.
constexpr const char* callbacks_by_account = R"sql(
DROP INDEX callback_waiting;
CREATE INDEX callback_waiting ON callback(account, origin_key, due_at, id) WHERE state = 0;
)sql";

// Since when a retried message has been failing, and the state of lanes across restarts
// (LaneRecord).
constexpr const char* lanes = R"sql(
ALTER TABLE queue ADD COLUMN failing_since INTEGER;
CREATE TABLE lane(
  device INTEGER PRIMARY KEY,
  down_since INTEGER,
  sent_at INTEGER,
  jitter INTEGER,
  day_ends_at INTEGER,
  sent_of_day INTEGER
) STRICT;
)sql";

// The transaction that adds a device or a key counts those of its account.
constexpr const char* rows_of_an_account = R"sql(
CREATE INDEX device_account ON device(account);
CREATE INDEX api_key_account ON api_key(account);
)sql";

// The campaign of a message; NULL for API sends.
constexpr const char* campaign_of_message = R"sql(
ALTER TABLE message ADD COLUMN campaign INTEGER;
)sql";

// The number of days after a device was added for which its cap grows.
constexpr const char* warm_up_of_device =
    "ALTER TABLE device ADD COLUMN warm_up_days INTEGER NOT NULL DEFAULT 0";

// Persons who sign in. Only hashes of passwords and digests of tokens and codes are stored; the
// secret of a second factor is encrypted. Ids are never reused, because the audit log names them.
constexpr const char* people = R"sql(
CREATE TABLE person(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE,
  admin INTEGER NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  totp_secret BLOB,
  totp_confirmed INTEGER NOT NULL DEFAULT 0,
  totp_step INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE membership(
  person INTEGER NOT NULL,
  account INTEGER NOT NULL,
  role TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY(person, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX membership_account ON membership(account);

CREATE TABLE session(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person INTEGER NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  sign_in INTEGER NOT NULL,
  address TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX session_person ON session(person);
CREATE INDEX session_seen ON session(seen_at);
CREATE INDEX session_begun ON session(created_at);

CREATE TABLE sign_in_link(
  digest BLOB PRIMARY KEY,
  person INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_link_person ON sign_in_link(person);
CREATE INDEX sign_in_link_expires ON sign_in_link(expires_at);

CREATE TABLE recovery_code(
  person INTEGER NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY(person, digest)
) STRICT, WITHOUT ROWID;
)sql";

// Who changed which object, through which door, and its values before and after.
constexpr const char* audit_log = R"sql(
CREATE TABLE audit(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  door TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  account INTEGER,
  operation TEXT NOT NULL,
  object TEXT NOT NULL,
  before TEXT,
  after TEXT,
  request_id TEXT
) STRICT;
CREATE INDEX audit_at ON audit(at);
CREATE INDEX audit_account ON audit(account) WHERE account IS NOT NULL;
CREATE INDEX audit_actor ON audit(actor);
CREATE INDEX audit_object ON audit(object);
)sql";

// The steps of messages and the attempts of callbacks (TrailWriter).
constexpr const char* trails = R"sql(
CREATE TABLE message_event(
  message INTEGER NOT NULL,
  number INTEGER NOT NULL,
  step INTEGER NOT NULL,
  at INTEGER NOT NULL,
  until INTEGER,
  code INTEGER NOT NULL,
  details TEXT,
  PRIMARY KEY(message, number)
) STRICT, WITHOUT ROWID;
ALTER TABLE completion ADD COLUMN took INTEGER;
ALTER TABLE handed_over ADD COLUMN at INTEGER;

CREATE TABLE callback_attempt(
  event INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  took INTEGER,
  status INTEGER NOT NULL,
  error TEXT NOT NULL,
  answer TEXT,
  retry_at INTEGER,
  PRIMARY KEY(event, number)
) STRICT, WITHOUT ROWID;
ALTER TABLE callback ADD COLUMN attempts_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE callback ADD COLUMN last_took INTEGER;
ALTER TABLE callback ADD COLUMN last_answer TEXT;
)sql";

// The scopes of a key. Keys from before could send and add devices.
constexpr const char* scopes_of_key =
    "ALTER TABLE api_key ADD COLUMN scopes TEXT NOT NULL DEFAULT 'send'";

// The reason for a device's state, the time and reason of a pause, the choice for its queue once it
// is paired, and the state of which its webhook was last notified. A device that was reconnecting
// had been reported as connected.
constexpr const char* pause_of_device = R"sql(
ALTER TABLE device ADD COLUMN state_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN paused_since INTEGER;
ALTER TABLE device ADD COLUMN pause_reason TEXT;
ALTER TABLE device ADD COLUMN resumed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE device ADD COLUMN after_pairing TEXT;
ALTER TABLE device ADD COLUMN notified TEXT;
UPDATE device SET notified = CASE state WHEN 'reconnecting' THEN 'connected' ELSE state END
  WHERE state <> 'pairing';
)sql";

// When the device's secrets were exported. Another server may use them since.
constexpr const char* exported_at_of_device = "ALTER TABLE device ADD COLUMN exported_at INTEGER";

// Summaries by which searches skip messages (MessageBlocks).
constexpr const char* message_blocks = R"sql(
CREATE TABLE message_block(
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  unfinished INTEGER NOT NULL,
  open BLOB,
  facts BLOB NOT NULL,
  ends BLOB,
  recipients BLOB NOT NULL,
  recipients_of_accounts BLOB NOT NULL
) STRICT;
CREATE INDEX message_block_unfinished ON message_block(first) WHERE unfinished > 0;
)sql";

// The outcome of an audited operation, which may take place outside the store. Older entries with
// values belong to changes that were committed; the outcome of the others is not known.
constexpr const char* outcome_of_audit = R"sql(
ALTER TABLE audit ADD COLUMN outcome TEXT;
UPDATE audit SET outcome = 'done' WHERE before IS NOT NULL OR after IS NOT NULL;
)sql";

// Keys that retention removes, and those that are valid, are found without reading the others.
constexpr const char* dead_keys = R"sql(
CREATE INDEX api_key_revoked ON api_key(revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX api_key_expires ON api_key(expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX api_key_live ON api_key(account, expires_at) WHERE revoked_at IS NULL;
)sql";

// Marks the file as a store of this program, also for file(1): "Merp".
constexpr int application_id = 0x4d657270;
constexpr const char* mark_of_application = "PRAGMA application_id = 0x4d657270";

// Until when the device may not begin new chats.
constexpr auto restriction_of_device = "ALTER TABLE device ADD COLUMN restricted_until INTEGER";

// How an account's statuses are posted together ("100/200ms"; NULL: each alone), and the request
// with which an attempt was made.
constexpr const char* batches_of_callbacks = R"sql(
ALTER TABLE account ADD COLUMN callback_batch TEXT;
ALTER TABLE callback ADD COLUMN batch INTEGER;
ALTER TABLE callback ADD COLUMN batch_tail INTEGER;
ALTER TABLE callback ADD COLUMN batch_events INTEGER;
ALTER TABLE callback_attempt ADD COLUMN batch INTEGER;
ALTER TABLE callback_attempt ADD COLUMN batch_tail INTEGER;
ALTER TABLE callback_attempt ADD COLUMN batch_events INTEGER;
)sql";

// What the official platform calls the number.
constexpr const char* cloud_of_device = R"sql(
ALTER TABLE device ADD COLUMN phone_number_id TEXT;
ALTER TABLE device ADD COLUMN waba_id TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN fallback_template TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX device_cloud ON device(phone_number_id) WHERE phone_number_id IS NOT NULL;
)sql";

// The template as which a message is sent, with its values: a list of texts. What a held message is
// sent as when it is released.
constexpr const char* templates_of_messages = R"sql(
ALTER TABLE message ADD COLUMN template TEXT;
ALTER TABLE completion ADD COLUMN as_template INTEGER NOT NULL DEFAULT 0;
)sql";

// What the recipient of a message reads that was sent as a template: a list of texts.
constexpr auto template_as_sent = "ALTER TABLE handed_over ADD COLUMN sent_as TEXT";

// The same version in PostgreSQL has what several nodes need to follow each other.
constexpr auto nodes_follow = "";

// The same version in PostgreSQL has an index of `usage` that a new number of a row need not
// search.
constexpr auto numbers_of_usage = "";

/// Step N migrates version N to N + 1. Steps are added, never changed.
constexpr std::array steps{first_schema,
                           lists_of_trouble,
                           activity,
                           callbacks_by_account,
                           lanes,
                           rows_of_an_account,
                           campaign_of_message,
                           platform_reports,
                           warm_up_of_device,
                           people,
                           audit_log,
                           trails,
                           scopes_of_key,
                           pause_of_device,
                           exported_at_of_device,
                           ledger_and_usage,
                           message_blocks,
                           outcome_of_audit,
                           usage_by_number,
                           received_media,
                           mark_of_application,
                           crashes_of_queued,
                           invitations,
                           dead_keys,
                           restriction_of_device,
                           campaigns,
                           doubt_of_queued,
                           batches_of_callbacks,
                           doubt_of_handed_over,
                           outcomes_and_erasures,
                           cloud_of_device,
                           next_try_of_erasure,
                           awaited_statuses,
                           templates_of_messages,
                           template_as_sent,
                           nodes_follow,
                           numbers_of_usage};

constexpr int marked_from = 21;  // Stores of earlier versions are not marked.

/// Whether this program made the database, or may make a store of it, because it is empty.
bool is_ours(Connection& connection, int version) {
    const bool marked =
        connection.query_text("PRAGMA application_id") == std::to_string(application_id);
    if (marked || version >= marked_from) {
        return marked && version >= marked_from;
    }
    return connection.query_text("PRAGMA application_id") == "0" &&
           connection.query_text(version == 0
                                     ? "SELECT count(*) = 0 FROM sqlite_schema"
                                     : "SELECT count(*) = 3 FROM sqlite_schema "
                                       "WHERE name IN ('meta', 'api_key', 'completion')") == "1";
}

}  // namespace

int schema_version() noexcept {
    return static_cast<int>(steps.size());
}

Result<void> migrate(Connection& connection, bool allowed) {
    const int found = std::stoi(connection.query_text("PRAGMA user_version"));
    if (found < 0 || !is_ours(connection, found)) {
        return fail(ErrorCode::conflict,
                    "the file is an SQLite database of another program: name another file with "
                    "store.url");
    }
    if (found > schema_version()) {
        return fail(ErrorCode::conflict,
                    fmt::format("the store's schema is version {}, this program knows {}: run the "
                                "program that wrote it, or a newer one",
                                found, schema_version()));
    }
    if (found < schema_version() && found > 0 && !allowed) {
        return fail(ErrorCode::conflict,
                    fmt::format("the store's schema is version {}, this program needs {}: run "
                                "'merpati migrate'",
                                found, schema_version()));
    }
    for (int step = found; step < schema_version(); ++step) {
        connection.execute("BEGIN IMMEDIATE");
        connection.execute(steps[static_cast<std::size_t>(step)]);
        connection.execute(fmt::format("PRAGMA user_version = {}", step + 1).c_str());
        connection.execute("COMMIT");
    }
    return {};
}

}  // namespace merpati::store::sqlite
