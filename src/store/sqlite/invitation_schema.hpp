// The table of invitations, as schema.cpp creates it.
#pragma once

namespace merpati::store::sqlite {

/// Offers of a role in an account. The link's token is stored as its digest alone.
inline constexpr const char* invitations = R"sql(
CREATE TABLE invitation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  inviter TEXT NOT NULL,
  inviter_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE(account, email)
) STRICT;
CREATE INDEX invitation_expires ON invitation(expires_at);
)sql";

}  // namespace merpati::store::sqlite
