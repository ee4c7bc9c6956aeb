// Downloads media that a number received.
#pragma once

#include <string>

#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/number.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::cloud {

/// Asks the platform where the media are, and writes them to the request's file. The address that
/// it names lives for minutes, so it is asked for each time.
///
/// Threads: the client's. Errors: of Connector::fetch_media.
void download_media(GraphClient& graph, const Access& access, MediaRequest request,
                    Connector::MediaFetched done);

}  // namespace merpati::connector::cloud
