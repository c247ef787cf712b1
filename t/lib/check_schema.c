/*
 * check_schema - JSON lines on standard input against a JSON Schema.
 *
 *     check_schema SCHEMA [--closed]
 *
 * Knows what cpprof's schema uses, and refuses any other keyword.  With
 * --closed, members that the schema does not name are wrong, too.  Status 0 and
 * the number of lines, or 1 and what is wrong first.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static json_t *schema;
static bool closed;
static char why[400];

static bool fits(json_t *rule, json_t *value, const char *at);

static bool wrong(const char *at, const char *what)
{
	if (!*why)
		snprintf(why, sizeof why, "%s: %s", at, what);
	return false;
}

static bool has_type(const char *type, const json_t *value)
{
	return (!strcmp(type, "object") && json_is_object(value)) ||
	       (!strcmp(type, "array") && json_is_array(value)) ||
	       (!strcmp(type, "string") && json_is_string(value)) ||
	       (!strcmp(type, "integer") && json_is_integer(value)) ||
	       (!strcmp(type, "number") && json_is_number(value)) ||
	       (!strcmp(type, "boolean") && json_is_boolean(value)) ||
	       (!strcmp(type, "null") && json_is_null(value));
}

static bool fits_type(json_t *types, json_t *value)
{
	json_t *type;
	size_t i;

	if (json_is_string(types))
		return has_type(json_string_value(types), value);
	json_array_foreach(types, i,
		type) if (has_type(json_string_value(type), value)) return true;
	return false;
}

static bool fits_members(json_t *rules, json_t *value, const char *at)
{
	const char *key;
	char place[200];
	json_t *member;

	json_object_foreach(value, key, member)
	{
		json_t *rule = json_object_get(rules, key);

		snprintf(place, sizeof place, "%.120s.%.70s", at, key);
		if (!rule && closed)
			return wrong(place, "not in the schema");
		if (rule && !fits(rule, member, place))
			return false;
	}
	return true;
}

static bool fits_items(json_t *rule, json_t *value, const char *at)
{
	char place[200];
	json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
	{
		snprintf(place, sizeof place, "%.150s[%zu]", at, i);
		if (!fits(rule, item, place))
			return false;
	}
	return true;
}

static bool fits_any(json_t *rules, json_t *value, const char *at)
{
	size_t i, n = 0;
	json_t *rule;

	json_array_foreach(rules, i, rule) n += fits(rule, value, at);
	return n == 1;
}

static bool among(json_t *values, const json_t *value)
{
	json_t *one;
	size_t i;

	json_array_foreach(
		values, i, one) if (json_equal(one, value)) return true;
	return false;
}

static bool has_all(json_t *names, json_t *value, const char *at)
{
	json_t *name;
	size_t i;

	json_array_foreach(names, i,
		name) if (json_is_object(value) &&
			  !json_object_get(value,
				  json_string_value(name))) return wrong(at,
		json_string_value(name));
	return true;
}

static bool fits_keyword(
	const char *key, json_t *rule, json_t *value, const char *at)
{
	if (!strcmp(key, "$ref")) {
		const char *name = json_string_value(rule) + strlen("#/$defs/");
		json_t *def =
			json_object_get(json_object_get(schema, "$defs"), name);

		return def ? fits(def, value, at) : wrong(at, "no such $ref");
	}
	if (!strcmp(key, "type"))
		return fits_type(rule, value) || wrong(at, "wrong type");
	if (!strcmp(key, "const"))
		return json_equal(rule, value) || wrong(at, "another value");
	if (!strcmp(key, "enum"))
		return among(rule, value) || wrong(at, "none of its values");
	if (!strcmp(key, "minimum"))
		return !json_is_number(value) ||
		       json_number_value(value) >= json_number_value(rule) ||
		       wrong(at, "too small");
	if (!strcmp(key, "maximum"))
		return !json_is_number(value) ||
		       json_number_value(value) <= json_number_value(rule) ||
		       wrong(at, "too large");
	if (!strcmp(key, "minItems"))
		return !json_is_array(value) ||
		       json_array_size(value) >=
			       (size_t)json_integer_value(rule) ||
		       wrong(at, "too few");
	if (!strcmp(key, "maxItems"))
		return !json_is_array(value) ||
		       json_array_size(value) <=
			       (size_t)json_integer_value(rule) ||
		       wrong(at, "too many");
	if (!strcmp(key, "required"))
		return has_all(rule, value, at);
	if (!strcmp(key, "properties"))
		return fits_members(rule, value, at);
	if (!strcmp(key, "items"))
		return fits_items(rule, value, at);
	if (!strcmp(key, "oneOf"))
		return fits_any(rule, value, at) || wrong(at, "none of them");
	if (!strcmp(key, "$schema") || !strcmp(key, "title") ||
		!strcmp(key, "$defs"))
		return true;
	return wrong(key, "a keyword that this check does not know");
}

static bool fits(json_t *rule, json_t *value, const char *at)
{
	const char *key;
	json_t *part;

	json_object_foreach(rule, key,
		part) if (!fits_keyword(key, part, value, at)) return false;
	return true;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;
	json_error_t error;
	bool bad = false;
	int n = 0;

	schema = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
	closed = argc > 2;
	if (!schema) {
		printf("no schema: %s\n", argc > 1 ? error.text : "which?");
		return 2;
	}
	while (!bad && getline(&line, &size, stdin) >= 0) {
		json_t *value = json_loads(line, 0, &error);

		n++;
		why[0] = '\0';
		bad = !value || !fits(schema, value, "line");
		if (bad)
			printf("line %d: %s\n", n, value ? why : error.text);
		json_decref(value);
	}
	if (!bad)
		printf("%d\n", n);
	free(line);
	json_decref(schema);
	return bad;
}
