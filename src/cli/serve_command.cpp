// merpati serve
#include "cli/commands.hpp"
#include "daemon/serve.hpp"

namespace merpati::cli {

void add_serve(Program& program) {
    program.add_command(
        program.root(),
        {.name = "serve",
         .summary = "Run the gateway until SIGTERM",
         .details = "Listens on http.listen, logs to stderr, and tells systemd when it is ready. "
                    "On\nSIGTERM or Ctrl-C it ends once all work in flight is stored. One server a "
                    "file;\nseveral can share a database (docs/scaling.md).",
         .example = "merpati serve\n"
                    "merpati --config /etc/merpati/merpati.toml serve\n"
                    "merpati --set http.listen=0.0.0.0:8080 serve",
         .section = section::server},
        [](Session& session) {
            const auto loaded = session.settings();
            if (!loaded) {
                return session.fail(loaded.error());
            }
            return daemon::serve(**loaded,
                                 daemon::service_manager_of(session.console().environment));
        },
        Output::none);
}

}  // namespace merpati::cli
