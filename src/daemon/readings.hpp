// The figures of GET /metrics that rooms keep themselves.
#pragma once

#include <vector>

#include "callback/sender.hpp"
#include "http/server.hpp"
#include "media/library.hpp"
#include "media/prober.hpp"
#include "scheduler/scheduler.hpp"
#include "store/committer.hpp"
#include "telemetry/metrics.hpp"

namespace merpati::daemon {

struct Watched {
    const store::Committer& committer;
    const scheduler::Scheduler& scheduler;
    const callback::Sender& sender;
    const http::Server& server;
    const media::Prober& prober;
    const media::Library& library;
};

[[nodiscard]] std::vector<telemetry::Reading> readings_of(const Watched& rooms);

}  // namespace merpati::daemon
