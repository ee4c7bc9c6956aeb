// The figures of GET /metrics that rooms keep themselves.
#pragma once

#include <vector>

#include "callback/sender.hpp"
#include "http/server.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {

[[nodiscard]] std::vector<telemetry::Reading> readings_of(const store::Committer& committer,
                                                          const scheduler::Scheduler& scheduler,
                                                          const callback::Sender& sender,
                                                          const http::Server& server);

}  // namespace merpati::daemon
