/* What the tests of state histories share: what the tests of every format share, of this one. */
#ifndef STATEHIST_TEST_MODEL_H
#define STATEHIST_TEST_MODEL_H

#define TEST_FORMAT "statehist"

#include "codecs/statehist/model.h"
#include "harness/test_format.h"

/* What begins each text of a history from `start` to `end`. */
#define HISTORY(start, end) "# statehistory-tsv 1\n# start: " #start "\n# end: " #end "\n"

#endif
