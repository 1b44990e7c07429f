/* Files of bench/page and bench/report/plots as texts of the program; the Makefile knows which. */
#include "bench/report/assets.h"

#define CARRY(symbol, file)                      \
    __asm__(".pushsection .rodata\n"             \
            ".globl " #symbol "\n" #symbol ":\n" \
            ".incbin \"" file "\"\n"             \
            ".byte 0\n"                          \
            ".popsection\n")

CARRY(bo_page_css, "bench/page/page.css");
CARRY(bo_page_js, "bench/page/page.js");
CARRY(bo_plot_common_gp, "bench/report/plots/common.gp");
CARRY(bo_plot_curves_gp, "bench/report/plots/curves.gp");
CARRY(bo_plot_scatter_gp, "bench/report/plots/scatter.gp");
CARRY(bo_plot_sections_gp, "bench/report/plots/sections.gp");
CARRY(bo_plot_size_time_gp, "bench/report/plots/size_time.gp");
CARRY(bo_plot_workloads_gp, "bench/report/plots/workloads.gp");
