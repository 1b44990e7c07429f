/* What the tests of AutoFDO share: what the tests of every format share, of this one. */
#ifndef AUTOFDO_TEST_MODEL_H
#define AUTOFDO_TEST_MODEL_H

#define TEST_FORMAT "autofdo"

#include "codecs/autofdo/model.h"
#include "harness/test_format.h"

#endif
