/* What the tests of Templight share: what the tests of every format share, of this one. */
#ifndef TEMPLIGHT_TEST_MODEL_H
#define TEMPLIGHT_TEST_MODEL_H

#define TEST_FORMAT "templight"

#include "codecs/templight/model.h"
#include "harness/test_format.h"

#endif
