/* facts.c - one JSON object, or its values line by line. */
#include <string.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"

/* Where a value stands. */
struct value_place {
	const char *profile, *list, *item;
	const char *unit; /* of what is counted in a resource's unit; "" */
};

/* The units of members; NULL: that of the resource. */
static const struct {
	const char *key, *unit;
} units[] = {
	{"wall", "us"},
	{"cpu", "us"},
	{"waiting", "us"},
	{"runqueue", "us"},
	{"not_running", "us"},
	{"monitor_cpu", "us"},
	{"pagefaults", "fault"},
	{"bytes", "byte"},
	{"dropped", "byte"},
	{"interval", NULL},
	{"gticks", NULL},
	{"doubt", NULL},
	{"weight", NULL},
	{"lost", NULL},
	{"unsampled", NULL},
	{"kernel", NULL},
	{"uncounted", NULL},
	{"probes", NULL},
	{"before", NULL},
};

static const char *unit_of(const struct value_place *at, const char *key)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].key, key))
			return units[i].unit ? units[i].unit : at->unit;
	return "";
}

/* The last field; what has no unit has none. */
static int put_end(FILE *out, const char *unit)
{
	if (*unit) {
		fputc('"', out);
		if (csv_text(out, 0, unit))
			return -1;
		fputc('"', out);
	}
	fputc('\n', out);
	return 0;
}

static int put_line(FILE *out, const struct value_place *at, const char *key,
	const json_t *value)
{
	fprintf(out, "%s,%s,", at->profile, at->list);
	if (csv_field(out, at->item))
		return -1;
	fprintf(out, "%s,", key);
	if (csv_value(out, value, "", "g12"))
		return -1;
	fputc(',', out);
	return put_end(out, unit_of(at, key));
}

/* What an object of facts begins with: each line has the profile. */
static bool is_common(const char *key)
{
	return !strcmp(key, "schema") || !strcmp(key, "version") ||
	       !strcmp(key, "profile");
}

/* The values of OBJECT that are no objects or lists of them. */
static int put_values(FILE *out, const struct value_place *at, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		bool objects =
			json_is_object(value) ||
			json_is_object(json_array_get(value, 0)) ||
			(json_is_array(value) && !json_array_size(value));

		if (!objects && !is_common(key) &&
			put_line(out, at, key, value))
			return -1;
	}
	return 0;
}

/* A unit that the object names, else UNIT. */
static const char *own_unit(const json_t *object, const char *unit)
{
	const char *own = json_string_value(json_object_get(object, "unit"));

	return own ? own : unit;
}

static int put_list(FILE *out, const struct value_place *above, json_t *list)
{
	bool resources = !strcmp(above->list, "resources");
	size_t i;
	json_t *object;

	json_array_foreach(list, i, object)
	{
		struct value_place at = *above;
		char number[24];

		snprintf(number, sizeof number, "%zu", i + 1);
		at.item = resources ? json_string_value(json_object_get(
					      object, "resource"))
				    : number;
		at.unit = own_unit(object, above->unit);
		if (json_is_object(object) && put_values(out, &at, object))
			return -1;
	}
	return 0;
}

static int put_facts(FILE *out, json_t *facts)
{
	struct value_place at = {
		json_string_value(json_object_get(facts, "profile")), "", "",
		own_unit(facts, "")};
	const char *key;
	json_t *value;

	fputs("profile,list,item,key,value,unit\n", out);
	if (put_values(out, &at, facts))
		return -1;
	json_object_foreach(facts, key, value)
	{
		at.list = key;
		if ((json_is_object(value) && put_values(out, &at, value)) ||
			(json_is_array(value) && put_list(out, &at, value)))
			return -1;
	}
	return 0;
}

int facts_json(FILE *out, json_t *facts)
{
	if (json_put(out, facts, 0, 0))
		return -1;
	fputc('\n', out);
	return 0;
}

int facts_csv(FILE *out, json_t *facts)
{
	int status = facts ? put_facts(out, facts) : -1;

	json_decref(facts);
	return status;
}
