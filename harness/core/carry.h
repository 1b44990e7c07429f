/*
 * Files as strings in the program, each with a NUL after it. The build passes `-I` with the root
 * of the tree.
 */
#ifndef BO_CARRY_H
#define BO_CARRY_H

/* Defines `symbol`, to be declared as extern const char symbol[]. */
#define BO_CARRY(symbol, file)                   \
    __asm__(".pushsection .rodata\n"             \
            ".globl " #symbol "\n" #symbol ":\n" \
            ".incbin \"" file "\"\n"             \
            ".byte 0\n"                          \
            ".popsection\n")

#endif
