/* Files of bench/page as texts of the program; the Makefile knows which. */
#include "bench/report/assets.h"

#define CARRY(symbol, file)                      \
    __asm__(".pushsection .rodata\n"             \
            ".globl " #symbol "\n" #symbol ":\n" \
            ".incbin \"" file "\"\n"             \
            ".byte 0\n"                          \
            ".popsection\n")

CARRY(bo_page_css, "bench/page/page.css");
CARRY(bo_page_js, "bench/page/page.js");
