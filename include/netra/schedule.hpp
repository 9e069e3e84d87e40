// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// All of schedules: lowering, checks, memory plan, costs, exports.
#pragma once

#include <netra/schedule/builder.hpp>
#include <netra/schedule/check.hpp>
#include <netra/schedule/checked_schedule.hpp>
#include <netra/schedule/checks/live_accesses.hpp>
#include <netra/schedule/checks/memory.hpp>
#include <netra/schedule/checks/operands.hpp>
#include <netra/schedule/checks/shapes.hpp>
#include <netra/schedule/checks/structure.hpp>
#include <netra/schedule/checks/waits.hpp>
#include <netra/schedule/cost.hpp>
#include <netra/schedule/expand.hpp>
#include <netra/schedule/expanded.hpp>
#include <netra/schedule/export_dot.hpp>
#include <netra/schedule/export_html.hpp>
#include <netra/schedule/export_table.hpp>
#include <netra/schedule/html/drawing.hpp>
#include <netra/schedule/html/looks.hpp>
#include <netra/schedule/html/painting.hpp>
#include <netra/schedule/html/reading.hpp>
#include <netra/schedule/identity.hpp>
#include <netra/schedule/joins.hpp>
#include <netra/schedule/levels.hpp>
#include <netra/schedule/lower.hpp>
#include <netra/schedule/lower_config.hpp>
#include <netra/schedule/memory_plan.hpp>
#include <netra/schedule/open_groups.hpp>
#include <netra/schedule/operation.hpp>
#include <netra/schedule/order.hpp>
#include <netra/schedule/program.hpp>
#include <netra/schedule/refused_edges.hpp>
#include <netra/schedule/schedule.hpp>
#include <netra/schedule/signals.hpp>
#include <netra/schedule/task_order.hpp>
#include <netra/schedule/tiles.hpp>
