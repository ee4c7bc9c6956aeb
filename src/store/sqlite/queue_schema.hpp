// Steps of the schema for what is known of the attempts of a waiting message.
#pragma once

namespace merpati::store::sqlite {

/// How many attempts ended with a crash of the connector's program.
inline constexpr const char* crashes_of_queued =
    "ALTER TABLE queue ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0";

/// Whether an attempt ended without a known outcome.
inline constexpr const char* doubt_of_queued =
    "ALTER TABLE queue ADD COLUMN perhaps_sent INTEGER NOT NULL DEFAULT 0";

/// The same of a message that its platform has accepted after such an attempt.
inline constexpr const char* doubt_of_handed_over =
    "ALTER TABLE handed_over ADD COLUMN perhaps_sent INTEGER NOT NULL DEFAULT 0";

}  // namespace merpati::store::sqlite
