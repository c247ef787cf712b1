/*
 * queens - a small Lisp interpreter that places eight queens.
 *
 * Source: the study of 022.li (a Lisp interpreter solving the queens problem,
 * SPEC '92) in R. J. Hall and A. J. Goldberg, "Call Path Profiling of
 * Monotonic Program Resources in UNIX", USENIX Summer 1993.
 *
 * What its cpu profile must show: an interpreter's whole run is eval, which
 * calls itself through evlist, evcond and apply_lambda to any depth, so that
 * eval is 1.0 of the run, once, and not a multiple of it; the flat profile
 * says little, and the paths from eval say which of evlist, lookup, cons and
 * gc to improve.  gc is called from cons only: (cons gc) is all of gc.
 * What calls=cons must show: 1 hit a cell; --truth tells how many cells, and
 * from where.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/sample.h"

#define CELLS 20000
#define SYMBOLS 128
#define NAME_LEN 15
#define PROTECTED_MAX 20000
#define SOLUTIONS 92 /* for eight queens */

static const char program[] =
	"(defun attacks (col dist rest)"
	"  (cond ((null rest) nil)"
	"        ((= (car rest) col) t)"
	"        ((= (car rest) (+ col dist)) t)"
	"        ((= (car rest) (- col dist)) t)"
	"        (t (attacks col (+ dist 1) (cdr rest)))))"
	"(defun try (col row board)"
	"  (cond ((< size col) 0)"
	"        ((attacks col 1 board) (try (+ col 1) row board))"
	"        (t (+ (place (+ row 1) (cons col board))"
	"              (try (+ col 1) row board)))))"
	"(defun place (row board)"
	"  (cond ((= row size) 1)"
	"        (t (try 1 row board))))"
	"(defun queens (n) (setq size n) (place 0 nil))";

enum type { FREE, PAIR, NUMBER };

struct symbol;

/*
 * A Lisp value: a cell, a symbol or, for nil, NULL.  Its address tells symbols
 * from cells.
 */
typedef void value;

struct cell {
	enum type type;
	bool marked;
	union {
		struct {
			value *car, *cdr;
		};
		long number;
		struct cell *next_free;
	};
};

typedef value *builtin(value *args);

struct symbol {
	char name[NAME_LEN + 1];
	value *global;   /* its value outside of all functions */
	value *function; /* (parameters . body), or NULL */
	builtin *builtin;
};

static struct cell cells[CELLS];
static struct cell *free_cells;
static struct symbol symbols[SYMBOLS];
static size_t symbol_count;
static struct symbol *sym_t, *sym_cond, *sym_defun, *sym_setq;

/*
 * The values that a collection must keep besides the symbols': the live ones of
 * the C functions that run.  Each function restores the height it found.
 */
static value *protected[PROTECTED_MAX];
static size_t protected_count;

static uint64_t cons_calls, number_calls, collections, evals;

static bool is_symbol(const value *v)
{
	const char *at = v;

	return at >= (const char *)symbols &&
	       at < (const char *)(symbols + SYMBOLS);
}

static bool is_pair(const value *v)
{
	return v != NULL && !is_symbol(v) &&
	       ((const struct cell *)v)->type == PAIR;
}

static value *car(const value *v)
{
	return is_pair(v) ? ((const struct cell *)v)->car : NULL;
}

static value *cdr(const value *v)
{
	return is_pair(v) ? ((const struct cell *)v)->cdr : NULL;
}

static long number_of(const value *v)
{
	if (v == NULL || is_symbol(v) ||
		((const struct cell *)v)->type != NUMBER)
		sample_fail("not a number");
	return ((const struct cell *)v)->number;
}

static value *protect(value *v)
{
	if (protected_count == PROTECTED_MAX)
		sample_fail("Lisp recursion too deep");
	protected[protected_count++] = v;
	return v;
}

/* Lists are marked along the cdr in a loop, recursion is for the car. */
static FRAME void mark(value *v)
{
	while (v != NULL && !is_symbol(v)) {
		struct cell *cell = v;

		if (cell->marked)
			return;
		cell->marked = true;
		if (cell->type != PAIR)
			return;
		mark(cell->car);
		v = cell->cdr;
	}
}

static FRAME void sweep(void)
{
	free_cells = NULL;
	for (size_t i = CELLS; i-- > 0;) {
		struct cell *cell = &cells[i];

		if (cell->marked) {
			cell->marked = false;
			continue;
		}
		cell->type = FREE;
		cell->next_free = free_cells;
		free_cells = cell;
	}
}

static FRAME void gc(void)
{
	collections++;
	for (size_t i = 0; i < symbol_count; i++) {
		mark(symbols[i].global);
		mark(symbols[i].function);
	}
	for (size_t i = 0; i < protected_count; i++)
		mark(protected[i]);
	sweep();
	if (free_cells == NULL)
		sample_fail("Lisp heap full");
}

static inline struct cell *take_cell(void)
{
	struct cell *cell = free_cells;

	free_cells = cell->next_free;
	return cell;
}

/* The arguments need not be protected. */
static FRAME value *cons(value *first, value *rest)
{
	struct cell *cell;

	cons_calls++;
	if (free_cells == NULL) {
		size_t height = protected_count;

		protect(first);
		protect(rest);
		gc();
		protected_count = height;
	}
	cell = take_cell();
	cell->type = PAIR;
	cell->car = first;
	cell->cdr = rest;
	return cell;
}

/* A number is stored in a cell made by a cons. */
static FRAME value *make_number(long number)
{
	struct cell *cell = cons(NULL, NULL);

	number_calls++;
	cell->type = NUMBER;
	cell->number = number;
	return cell;
}

static struct symbol *intern(const char *name, size_t len)
{
	struct symbol *symbol;

	for (size_t i = 0; i < symbol_count; i++)
		if (strlen(symbols[i].name) == len &&
			memcmp(symbols[i].name, name, len) == 0)
			return &symbols[i];
	if (symbol_count == SYMBOLS || len > NAME_LEN)
		sample_fail("cannot keep symbol %.*s", (int)len, name);
	symbol = &symbols[symbol_count++];
	memcpy(symbol->name, name, len);
	return symbol;
}

static value *read_expr(const char **text);

/* After an opening bracket. */
static value *read_list(const char **text)
{
	size_t height = protected_count;
	value *first, *rest;

	*text += strspn(*text, " ");
	if (**text == '\0')
		sample_fail("a list without end");
	if (**text == ')') {
		++*text;
		return NULL;
	}
	first = protect(read_expr(text));
	rest = read_list(text);
	protected_count = height;
	return cons(first, rest);
}

static value *read_expr(const char **text)
{
	size_t len;
	const char *at;

	*text += strspn(*text, " ");
	at = *text;
	if (*at == '(') {
		++*text;
		return read_list(text);
	}
	len = strcspn(at, " ()");
	*text += len;
	if (isdigit((unsigned char)*at))
		return make_number(strtol(at, NULL, 10));
	if (len == 3 && memcmp(at, "nil", 3) == 0)
		return NULL;
	return intern(at, len);
}

/* Bindings: a list of (symbol . value), the innermost first. */
static FRAME value *lookup(const struct symbol *symbol, value *bindings)
{
	for (; bindings != NULL; bindings = cdr(bindings))
		if (car(car(bindings)) == symbol)
			return cdr(car(bindings));
	return symbol->global;
}

static FRAME value *eval(value *expr, value *bindings);

static FRAME value *evlist(value *exprs, value *bindings)
{
	size_t height = protected_count;
	value *first, *rest;

	if (exprs == NULL)
		return NULL;
	first = protect(eval(car(exprs), bindings));
	rest = evlist(cdr(exprs), bindings);
	protected_count = height;
	return cons(first, rest);
}

static FRAME value *evcond(value *clauses, value *bindings)
{
	for (; clauses != NULL; clauses = cdr(clauses))
		if (eval(car(car(clauses)), bindings) != NULL)
			return eval(car(cdr(car(clauses))), bindings);
	return NULL;
}

static FRAME value *bind(value *parameters, value *args)
{
	value *bindings = NULL;
	size_t height = protected_count;

	protect(args);
	for (; parameters != NULL; parameters = cdr(parameters)) {
		protected_count = height + 1;
		protect(bindings);
		bindings = cons(cons(car(parameters), car(args)), bindings);
		args = cdr(args);
	}
	protected_count = height;
	return bindings;
}

static FRAME value *apply_lambda(value *function, value *args)
{
	size_t height = protected_count;
	value *bindings = protect(bind(car(function), args));
	value *result = NULL;

	for (value *body = cdr(function); body != NULL; body = cdr(body))
		result = eval(car(body), bindings);
	protected_count = height;
	return result;
}

static value *eval_setq(value *form, value *bindings)
{
	struct symbol *symbol = car(cdr(form));

	return symbol->global = eval(car(cdr(cdr(form))), bindings);
}

static value *eval_defun(value *form)
{
	struct symbol *symbol = car(cdr(form));

	symbol->function = cdr(cdr(form));
	return symbol;
}

static FRAME value *eval_call(value *form, value *bindings)
{
	const struct symbol *function = car(form);
	size_t height = protected_count;
	value *args, *result;

	if (!is_symbol(function))
		sample_fail("call of what is no symbol");
	args = protect(evlist(cdr(form), bindings));
	if (function->builtin != NULL)
		result = function->builtin(args);
	else if (function->function != NULL)
		result = apply_lambda(function->function, args);
	else
		sample_fail("no function %s", function->name);
	protected_count = height;
	return result;
}

/*
 * The caller protects EXPR and BINDINGS, as parts of a program and of a running
 * call; the result is not protected.
 */
static FRAME value *eval(value *expr, value *bindings)
{
	evals++;
	if (expr == NULL || expr == sym_t)
		return expr;
	if (is_symbol(expr))
		return lookup(expr, bindings);
	if (!is_pair(expr))
		return expr;
	if (car(expr) == sym_cond)
		return evcond(cdr(expr), bindings);
	if (car(expr) == sym_setq)
		return eval_setq(expr, bindings);
	if (car(expr) == sym_defun)
		return eval_defun(expr);
	return eval_call(expr, bindings);
}

static value *truth(bool holds)
{
	return holds ? sym_t : NULL;
}

static FRAME value *lisp_add(value *args)
{
	return make_number(number_of(car(args)) + number_of(car(cdr(args))));
}

static FRAME value *lisp_sub(value *args)
{
	return make_number(number_of(car(args)) - number_of(car(cdr(args))));
}

static FRAME value *lisp_equal(value *args)
{
	return truth(number_of(car(args)) == number_of(car(cdr(args))));
}

static FRAME value *lisp_less(value *args)
{
	return truth(number_of(car(args)) < number_of(car(cdr(args))));
}

static FRAME value *lisp_null(value *args)
{
	return truth(car(args) == NULL);
}

static FRAME value *lisp_car(value *args)
{
	return car(car(args));
}

static FRAME value *lisp_cdr(value *args)
{
	return cdr(car(args));
}

static FRAME value *lisp_cons(value *args)
{
	return cons(car(args), car(cdr(args)));
}

static void start_lisp(void)
{
	static const struct {
		const char *name;
		builtin *function;
	} builtins[] = {
		{"+", lisp_add},
		{"-", lisp_sub},
		{"=", lisp_equal},
		{"<", lisp_less},
		{"null", lisp_null},
		{"car", lisp_car},
		{"cdr", lisp_cdr},
		{"cons", lisp_cons},
	};

	sym_t = intern("t", 1);
	sym_cond = intern("cond", 4);
	sym_defun = intern("defun", 5);
	sym_setq = intern("setq", 4);
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		intern(builtins[i].name, strlen(builtins[i].name))->builtin =
			builtins[i].function;
	sweep();
}

static FRAME value *run(const char *text)
{
	value *result = NULL;

	for (text += strspn(text, " "); *text != '\0';
		text += strspn(text, " ")) {
		protected_count = 0;
		result = eval(protect(read_expr(&text)), NULL);
	}
	return result;
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"--rounds=", NULL};
	uint64_t rounds;
	long solutions = 0;

	sample_start(argc, argv, options);
	rounds = sample_number("--rounds=", 50);
	start_lisp();
	run(program);
	for (uint64_t i = 0; i < rounds; i++) {
		solutions = number_of(run("(queens 8)"));
		if (solutions != SOLUTIONS)
			sample_fail("%ld solutions", solutions);
	}
	printf("%ld solutions, %llu evals, %llu cells, %llu collections\n",
		solutions, (unsigned long long)evals,
		(unsigned long long)cons_calls,
		(unsigned long long)collections);
	sample_truth("calls=cons", "cons", cons_calls - number_calls);
	sample_truth("calls=cons", "make_number;cons", number_calls);
	return sample_end();
}
