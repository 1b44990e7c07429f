/* Files of bench/page and bench/report/plots that are embedded in the program. */
#ifndef BO_REPORT_ASSETS_H
#define BO_REPORT_ASSETS_H

/* Texts that end with a zero byte. */
extern const char bo_page_css[], bo_page_js[];
extern const char bo_plot_common_gp[], bo_plot_curves_gp[], bo_plot_scatter_gp[],
    bo_plot_sections_gp[], bo_plot_size_time_gp[], bo_plot_workloads_gp[];

#endif
