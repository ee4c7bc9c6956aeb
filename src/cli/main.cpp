#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "cli/program.hpp"

namespace {

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view line{*entry};
        const auto equals = line.find('=');
        if (equals != std::string_view::npos) {
            variables.emplace(line.substr(0, equals), line.substr(equals + 1));
        }
    }
    return variables;
}

}  // namespace

int main(int count, char** arguments) {
    const auto program = merpati::cli::make_program(
        {.out = std::cout, .err = std::cerr, .environment = environment()});
    return program->run(std::vector<std::string>(arguments + 1, arguments + count));
}
