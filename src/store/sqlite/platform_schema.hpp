// Steps of the schema for reports of platforms and for values that connectors store.
#pragma once

namespace merpati::store::sqlite {

// handed_over: messages that were handed over, by the platform's id; `decide_by` is NULL once the
// message has ended. platform_event: reports of platforms, so that repeats are detected: inbound
// messages (about 0) and the progress of sent messages (about 1). device_secret: values that
// connectors store for their devices, encrypted.
inline constexpr const char* platform_reports = R"sql(
CREATE TABLE handed_over(
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  platform_id TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  decide_by INTEGER
) STRICT;
CREATE INDEX handed_over_platform_id ON handed_over(device, platform_id);
CREATE INDEX handed_over_undecided ON handed_over(decide_by) WHERE decide_by IS NOT NULL;

CREATE TABLE platform_event(
  device INTEGER NOT NULL,
  about INTEGER NOT NULL,
  platform_id TEXT NOT NULL,
  progress INTEGER NOT NULL,
  code INTEGER NOT NULL,
  details TEXT NOT NULL,
  at INTEGER NOT NULL,
  noted_at INTEGER NOT NULL,
  PRIMARY KEY(device, about, platform_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX platform_event_age ON platform_event(noted_at);

CREATE TABLE device_secret(
  device INTEGER NOT NULL,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY(device, name)
) STRICT, WITHOUT ROWID;
)sql";

// References by which received media are downloaded, encrypted. Before this step the worker of
// linked devices stored such values among the device's secrets, under the names that are deleted
// here.
inline constexpr const char* received_media = R"sql(
CREATE TABLE received_media(
  id INTEGER PRIMARY KEY,
  tail INTEGER NOT NULL,
  device INTEGER NOT NULL,
  platform_id TEXT NOT NULL,
  mime TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  name TEXT NOT NULL,
  reference BLOB NOT NULL
) STRICT;
CREATE INDEX received_media_device ON received_media(device);
DELETE FROM device_secret WHERE name GLOB 'm[0-9a-z]*' AND length(name) <= 3
  AND device IN (SELECT number FROM device WHERE connector = 'linked');
)sql";

// Statuses that are awaited: what becomes of a message without one, what its lane must know of it
// if it goes back, and the order in which devices' messages are decided. Of a status: that the
// failure is a passing one, and the message that it named before that was handed over.
inline constexpr const char* awaited_statuses = R"sql(
ALTER TABLE queue ADD COLUMN as_template INTEGER NOT NULL DEFAULT 0;
ALTER TABLE handed_over ADD COLUMN without_status INTEGER NOT NULL DEFAULT 0;
ALTER TABLE handed_over ADD COLUMN failing_since INTEGER;
ALTER TABLE handed_over ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE handed_over ADD COLUMN as_template INTEGER NOT NULL DEFAULT 0;
CREATE INDEX handed_over_of_device ON handed_over(device, decide_by) WHERE decide_by IS NOT NULL;
ALTER TABLE platform_event ADD COLUMN passing INTEGER;
ALTER TABLE platform_event ADD COLUMN passing_until INTEGER;
ALTER TABLE platform_event ADD COLUMN message INTEGER;
CREATE INDEX platform_event_message ON platform_event(message) WHERE message IS NOT NULL;
)sql";

}  // namespace merpati::store::sqlite
