/* A program that gcc compiles with a profile: its dumps show the counts of the calls. */
#define APART __attribute__((noinline, noclone))

static volatile int seen;

APART static void odd(void)
{
    seen++;
}

APART static void even(void)
{
    seen--;
}

APART static void again(void)
{
    seen ^= 1;
}

APART static void choose(int n)
{
    if (n & 1)
        odd();
    else
        even();
    for (int i = 0; i < n; i++)
        again();
}

int main(int argc, char **argv)
{
    (void)argv;
    choose(argc);
    return seen;
}
