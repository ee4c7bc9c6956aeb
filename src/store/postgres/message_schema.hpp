// Messages, callbacks, and what platforms report.
#pragma once

namespace merpati::store::postgres {

// `queue`, `callback` and `handed_over` shrink as fast as they grow, so they are vacuumed early and
// at full speed.
inline constexpr const char* messages = R"sql(
CREATE TABLE message(
  id bigint PRIMARY KEY,
  tail bigint NOT NULL,
  account bigint NOT NULL,
  device bigint NOT NULL,
  recipient text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  media_url text COLLATE "C",
  callback_url text COLLATE "C",
  flags bigint NOT NULL,
  accepted_at bigint NOT NULL,
  due_at bigint NOT NULL,
  campaign bigint,
  campaign_row bigint,
  template text COLLATE "C"
);

CREATE TABLE queue(
  device bigint NOT NULL,
  source bigint NOT NULL,
  bucket bigint NOT NULL,
  id bigint NOT NULL,
  tail bigint NOT NULL,
  due_at bigint NOT NULL,
  attempts bigint NOT NULL,
  intent bigint NOT NULL,
  last_details text COLLATE "C",
  failing_since bigint,
  crashes bigint NOT NULL DEFAULT 0,
  perhaps_sent bigint NOT NULL DEFAULT 0,
  as_template bigint NOT NULL DEFAULT 0,
  PRIMARY KEY(device, source, bucket, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE completion(
  id bigint PRIMARY KEY,
  state bigint NOT NULL,
  code bigint NOT NULL,
  details text COLLATE "C" NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  finished_at bigint NOT NULL,
  attempts bigint NOT NULL,
  event bigint,
  took bigint,
  as_template bigint NOT NULL DEFAULT 0
);
CREATE INDEX completion_unsent ON completion(state) WHERE state > 2;

CREATE TABLE message_event(
  message bigint NOT NULL,
  number bigint NOT NULL,
  step bigint NOT NULL,
  at bigint NOT NULL,
  until bigint,
  code bigint NOT NULL,
  details text COLLATE "C",
  PRIMARY KEY(message, number)
);

CREATE TABLE message_block(
  first bigint PRIMARY KEY,
  last bigint NOT NULL,
  unfinished bigint NOT NULL,
  open bytea,
  facts bytea NOT NULL,
  ends bytea,
  recipients bytea NOT NULL,
  recipients_of_accounts bytea NOT NULL
);
CREATE INDEX message_block_unfinished ON message_block(first) WHERE unfinished > 0;

CREATE TABLE activity(
  account bigint NOT NULL,
  span bigint NOT NULL,
  PRIMARY KEY(account, span)
);

CREATE TABLE idempotency(
  account bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  message bigint,
  message_tail bigint,
  status bigint NOT NULL,
  answer text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY(account, key)
);
CREATE INDEX idempotency_age ON idempotency(created_at);

CREATE TABLE handed_over(
  id bigint PRIMARY KEY,
  device bigint NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  decide_by bigint,
  at bigint,
  perhaps_sent bigint NOT NULL DEFAULT 0,
  without_status bigint NOT NULL DEFAULT 0,
  failing_since bigint,
  crashes bigint NOT NULL DEFAULT 0,
  as_template bigint NOT NULL DEFAULT 0,
  sent_as text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX handed_over_platform_id ON handed_over(device, platform_id);
CREATE INDEX handed_over_undecided ON handed_over(decide_by) WHERE decide_by IS NOT NULL;
CREATE INDEX handed_over_of_device ON handed_over(device, decide_by) WHERE decide_by IS NOT NULL;

CREATE TABLE platform_event(
  device bigint NOT NULL,
  about bigint NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  progress bigint NOT NULL,
  code bigint NOT NULL,
  details text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  noted_at bigint NOT NULL,
  passing bigint,
  passing_until bigint,
  message bigint,
  PRIMARY KEY(device, about, platform_id)
);
CREATE INDEX platform_event_age ON platform_event(noted_at);
CREATE INDEX platform_event_message ON platform_event(message) WHERE message IS NOT NULL;

CREATE TABLE received_media(
  id bigint PRIMARY KEY,
  tail bigint NOT NULL,
  device bigint NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  mime text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  reference bytea NOT NULL
);
CREATE INDEX received_media_device ON received_media(device);

CREATE TABLE callback(
  id bigint PRIMARY KEY,
  tail bigint NOT NULL,
  account bigint NOT NULL,
  kind bigint NOT NULL,
  message bigint,
  message_tail bigint,
  url text COLLATE "C" NOT NULL,
  origin_key bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  state bigint NOT NULL,
  attempts bigint NOT NULL,
  due_at bigint NOT NULL,
  last_status bigint NOT NULL,
  last_error text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  attempts_before bigint NOT NULL DEFAULT 0,
  last_took bigint,
  last_answer text COLLATE "C",
  batch bigint,
  batch_tail bigint,
  batch_events bigint
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX callback_parked ON callback(state) WHERE state > 1;
CREATE INDEX callback_waiting ON callback(account, origin_key, due_at, id) WHERE state = 0;

CREATE TABLE callback_attempt(
  event bigint NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  took bigint,
  status bigint NOT NULL,
  error text COLLATE "C" NOT NULL,
  answer text COLLATE "C",
  retry_at bigint,
  batch bigint,
  batch_tail bigint,
  batch_events bigint,
  PRIMARY KEY(event, number)
);
)sql";

}  // namespace merpati::store::postgres
