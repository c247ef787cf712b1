/*
 * pprof_fields.h - the field numbers of profile.proto, by which pprof's
 * profiles are written and read: perftools.profiles, as pprof's sources and
 * Go's runtime have it.
 */
#ifndef CPPROF_PPROF_FIELDS_H
#define CPPROF_PPROF_FIELDS_H

enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

/*
 * What the format has no field for, between cpprof's own writer and reader:
 * labels of a sample, and a comment that says that these are there though no
 * others are.
 */
#define PPROF_HITS "hits"
#define PPROF_SAMPLES "samples"
#define PPROF_COUNTED "samples have no labels but hits and samples"

enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };

enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };

enum {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
};

enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};

enum { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };

enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};

#endif
