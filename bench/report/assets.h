/* Files of bench/page that the program carries. */
#ifndef BO_REPORT_ASSETS_H
#define BO_REPORT_ASSETS_H

/* Texts that end with a zero byte. */
extern const char bo_page_css[], bo_page_js[];

#endif
