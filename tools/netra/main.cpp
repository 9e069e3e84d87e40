// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "check.hpp"
#include "conformance.hpp"
#include "explain.hpp"
#include "run.hpp"

#include <netra/backends/error.hpp>
#include <netra/engine/error.hpp>
#include <netra/engine/utf8.hpp>

#include <fmt/core.h>

#include <new>

/// Exit status: 0 done, 1 a model, file or schedule was refused or a check failed, 2 usage, or a schedule that cannot be read or a page that
/// cannot be written, 77 no GPU to check.
int main(int argc, char** argv) {
    CLI::App app{"netra: contracts, checked schedules and generated kernels for language models"};
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("netra {}.{}.{}", NETRA_VERSION_MAJOR, NETRA_VERSION_MINOR, NETRA_VERSION_PATCH));
    int status = 0;
    netra::tool::add_run(app, status);
    netra::tool::add_explain(app);
    netra::tool::add_check(app, status);
    netra::tool::add_conformance(app, status);
    try {
        app.parse(argc, argv);
        return status;
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const netra::model_error& e) {
        fmt::print(stderr, "netra: {}\n", netra::utf8::printable(e.what()));
    } catch (const netra::backend_error& e) {
        fmt::print(stderr, "netra: {}\n", e.what());
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "netra: out of memory; use a smaller model, --dtype as-stored or a smaller --max-tokens\n");
    }
    return 1;
}
