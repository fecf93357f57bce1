#include "tests/support/plain_style.h"

const struct figure_style plain_style = {
    .name = "plain",
    .description = "for tests",
    .font = "DejaVu Sans",
    .font_size = 12,
    .edge_font_size = 10,
    .background = { 255, 255, 255 },
    .edge = { 0x44, 0x50, 0x5c },
    .edge_text = { 0x2b, 0x35, 0x40 },
    .roles = { [FIGURE_ROLE_PROCESS] = { "rounded", .stroke = { 0x2f, 0x6c, 0xa8 } },
               [FIGURE_ROLE_DATA] = { "parallelogram", .stroke = { 0x44, 0x50, 0x5c } },
               [FIGURE_ROLE_STORE] = { "cylinder", .stroke = { 0x2e, 0x7d, 0x5b } },
               [FIGURE_ROLE_DECISION] = { "diamond", .stroke = { 0x9a, 0x6b, 0x00 } },
               [FIGURE_ROLE_ACTOR] = { "box", .stroke = { 0x6b, 0x4a, 0xa0 } },
               [FIGURE_ROLE_NOTE] = { "note", .stroke = { 0x8a, 0x82, 0x50 } } },
    .dpi = 144,
    .guide = "",
};
