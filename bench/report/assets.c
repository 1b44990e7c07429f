/* Files of bench/page and bench/report/plots, embedded in the program. The Makefile lists them. */
#include "bench/report/assets.h"

#include "harness/core/carry.h"

BO_CARRY(bo_page_css, "bench/page/page.css");
BO_CARRY(bo_page_js, "bench/page/page.js");
BO_CARRY(bo_plot_common_gp, "bench/report/plots/common.gp");
BO_CARRY(bo_plot_curves_gp, "bench/report/plots/curves.gp");
BO_CARRY(bo_plot_scatter_gp, "bench/report/plots/scatter.gp");
BO_CARRY(bo_plot_sections_gp, "bench/report/plots/sections.gp");
BO_CARRY(bo_plot_size_time_gp, "bench/report/plots/size_time.gp");
BO_CARRY(bo_plot_workloads_gp, "bench/report/plots/workloads.gp");
