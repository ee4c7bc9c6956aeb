// Steps of the schema for the ledger of credit and the counts of usage.
#pragma once

namespace merpati::store::sqlite {

// The ledger of credit, and counts of ended messages by the hour. The ledger opens with the charges
// and the balance from before, and usage with the messages that are stored.
inline constexpr const char* ledger_and_usage = R"sql(
CREATE TABLE ledger(
  account INTEGER NOT NULL,
  number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  balance INTEGER,
  reason TEXT NOT NULL,
  PRIMARY KEY(account, number)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger
  SELECT a.id, 1, 0, a.created_at, a.created_at, coalesce(p.charged, 0), 0,
         coalesce(a.credit, 0), a.credit, ''
  FROM account a LEFT JOIN (
    SELECT m.account, count(*) AS charged FROM message m LEFT JOIN completion c ON c.id = m.id
    WHERE m.flags & 64 AND coalesce(c.state, 0) NOT IN (3, 4) GROUP BY m.account
  ) p ON p.account = a.id
  WHERE a.credit IS NOT NULL OR p.charged > 0;

CREATE TABLE ledger_pruned(
  account INTEGER PRIMARY KEY,
  charged INTEGER NOT NULL
) STRICT;

CREATE TABLE usage(
  account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  device INTEGER NOT NULL,
  source INTEGER NOT NULL,
  state INTEGER NOT NULL,
  code INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY(account, hour, device, source, state, code)
) STRICT, WITHOUT ROWID;
INSERT INTO usage
  SELECT m.account, c.finished_at / 3600000, m.device, (m.flags & 16) / 16, c.state, c.code,
         count(*)
  FROM completion c JOIN message m ON m.id = c.id WHERE c.state IN (2, 3, 4)
  GROUP BY 1, 2, 3, 4, 5, 6;
)sql";

// An update of a row by its number costs a third of one by a composite key (UsageWriter).
inline constexpr const char* usage_by_number = R"sql(
ALTER TABLE usage RENAME TO usage_before;
CREATE TABLE usage(
  number INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  device INTEGER NOT NULL,
  source INTEGER NOT NULL,
  state INTEGER NOT NULL,
  code INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  UNIQUE(account, hour, device, source, state, code)
) STRICT;
INSERT INTO usage(account, hour, device, source, state, code, messages)
  SELECT account, hour, device, source, state, code, messages FROM usage_before
  ORDER BY account, hour, device, source, state, code;
DROP TABLE usage_before;
)sql";

}  // namespace merpati::store::sqlite
