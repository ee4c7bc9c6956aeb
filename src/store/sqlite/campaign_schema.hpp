// The step of the schema for campaigns, contacts and suppressions.
#pragma once

namespace merpati::store::sqlite {

// campaign: narrow, because each commit that moves recipients writes its counts. `is_open` and
// `unnotified` are made from other columns, for the indexes that find the few campaigns with work.
// campaign_plan: what is written rarely and may be large. campaign_device: the devices of campaigns
// that are scheduled, running or paused.
//
// campaign_recipient: the id is `campaign << 32 | row`, so that rows are appended and read in their
// order. `repeats` marks a number that the campaign has in an earlier row. Such rows are in an
// index of their own, so that the rows of a number in campaign_recipient_number are one for each
// campaign, whatever an audience repeats. `message` is the sequence of the row's message, `code`
// the one by which its last message ended, `progress` the furthest one that was reported. A row
// keeps its size when it moves, so that it is overwritten in place: what it does not have yet is a
// negative number of the same size, and `state` is -2 for pending and -1 for queued, because SQLite
// stores NULL, 0 and 1 without a byte (campaign_rows.hpp). Texts are last: they are not read to
// move a row.
//
// ledger_pruned.reserved: what the rows of the ledger no longer tell of reserves
// (ledger_check.cpp).
inline constexpr const char* campaigns = R"sql(
ALTER TABLE message ADD COLUMN campaign_row INTEGER;
ALTER TABLE account ADD COLUMN country TEXT NOT NULL DEFAULT '62';
ALTER TABLE ledger_pruned ADD COLUMN reserved INTEGER NOT NULL DEFAULT 0;

CREATE TABLE campaign(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  until INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  notified_state TEXT NOT NULL,
  notified_reason TEXT NOT NULL,
  staged INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  unnotified INTEGER NOT NULL,
  pruned INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  queued INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  uncertain INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  read INTEGER NOT NULL,
  failures_in_row INTEGER NOT NULL,
  unregistered_low INTEGER NOT NULL,
  unregistered_high INTEGER NOT NULL,
  recent INTEGER NOT NULL,
  sent_since INTEGER NOT NULL,
  opt_outs_since INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  next_due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX campaign_account ON campaign(account);
CREATE INDEX campaign_account_state ON campaign(account, state);
CREATE INDEX campaign_state ON campaign(state);
CREATE INDEX campaign_open ON campaign(id) WHERE is_open = 1;
CREATE INDEX campaign_to_clean ON campaign(id) WHERE staged = 1 OR removed = 1;
CREATE INDEX campaign_to_notify ON campaign(id) WHERE unnotified = 1;
CREATE INDEX campaign_to_prune ON campaign(finished_at)
  WHERE finished_at IS NOT NULL AND pruned = 0;

CREATE TABLE campaign_plan(
  campaign INTEGER PRIMARY KEY,
  plan TEXT NOT NULL,
  columns TEXT NOT NULL
) STRICT;

CREATE TABLE campaign_device(
  device INTEGER NOT NULL,
  campaign INTEGER NOT NULL,
  PRIMARY KEY(device, campaign)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign_recipient(
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  number INTEGER,
  repeats INTEGER,
  state INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  code INTEGER NOT NULL,
  variant INTEGER NOT NULL,
  device INTEGER NOT NULL,
  message INTEGER NOT NULL,
  message_tail INTEGER NOT NULL,
  progress INTEGER NOT NULL,
  at INTEGER NOT NULL,
  original TEXT NOT NULL,
  cells TEXT NOT NULL
) STRICT;
CREATE INDEX campaign_recipient_waiting ON campaign_recipient(state, id) WHERE state < 0;
CREATE INDEX campaign_recipient_number ON campaign_recipient(account, number)
  WHERE number IS NOT NULL AND repeats IS NULL;
CREATE INDEX campaign_recipient_repeat ON campaign_recipient(account, number)
  WHERE repeats IS NOT NULL;

CREATE TABLE contact(
  account INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  tags TEXT NOT NULL,
  consent_source TEXT,
  consent_at INTEGER,
  consent_text TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY(account, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE contact_count(
  account INTEGER PRIMARY KEY,
  contacts INTEGER NOT NULL
) STRICT;
CREATE TABLE contact_tag(
  account INTEGER NOT NULL,
  tag TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY(account, tag, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE suppression(
  account INTEGER NOT NULL,
  number INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  campaign INTEGER,
  PRIMARY KEY(account, number)
) STRICT, WITHOUT ROWID;
)sql";

// erasure: wishes of which something is left to do.
//
// campaign_outcome: how many rows were skipped (state 4) for each reason, and have failed (3) with
// each code; `detail` is one or the other. Staged rows do not count.
inline constexpr const char* outcomes_and_erasures = R"sql(
CREATE TABLE campaign_outcome(
  campaign INTEGER NOT NULL,
  state INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  recipients INTEGER NOT NULL,
  PRIMARY KEY(campaign, state, detail)
) STRICT, WITHOUT ROWID;
CREATE TABLE erasure(
  account INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  rows_left INTEGER NOT NULL,
  PRIMARY KEY(account, number)
) STRICT, WITHOUT ROWID;
INSERT INTO campaign_outcome
  SELECT c.id, r.state, iif(r.state = 4, r.reason, r.code), count(*)
  FROM campaign c JOIN campaign_recipient r ON r.id > c.id << 32 AND r.id <= (c.id << 32) +
    c.pending + c.queued + c.sent + c.failed + c.skipped + c.uncertain + c.cancelled
  WHERE r.state IN (3, 4) GROUP BY 1, 2, 3;
)sql";

// When the next try of a wish is due.
inline constexpr const char* next_try_of_erasure = R"sql(
ALTER TABLE erasure ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX erasure_due ON erasure(account, next_at);
)sql";

}  // namespace merpati::store::sqlite
