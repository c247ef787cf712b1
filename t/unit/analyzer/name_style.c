/*
 * name_style - names as people write them, of real functions: libstdc++'s,
 * libc++'s, a program's, Rust's in both manglings; and of hostile ones.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset.h"
#include "analyzer/name/name_style.h"
#include "lib/elf/demangle.h"
#include "t/lib/tap.h"

#define STRING                                                                 \
	"std::__cxx11::basic_string<char, std::char_traits<char>, "            \
	"std::allocator<char> >"

static const struct {
	const char *name;    /* mangled or not */
	const char *form[3]; /* NULL: as the one before */
	bool internal;
} rows[] = {
	/* C++, as g++ mangles it */
	{"_ZN3app7Derived1fERSt3mapINSt7__cxx1112basic_stringIcSt11char_"
	 "traitsIcESaIcEEESt6vectorIiSaIiEESt4lessIS7_ESaISt4pairIKS7_SA_EEE",
		{"app::Derived::f", NULL,
			"app::Derived::f(std::map<std::string, "
			"std::vector<int>>&)"},
		false},
	{"_ZN3app4overEi", {"app::over", NULL, "app::over(int)"}, false},
	{"_ZN3app5twiceINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEE"
	 "T_S7_",
		{"app::twice", "app::twice<std::string>",
			"app::twice<std::string>(std::string)"},
		false},
	{"_ZN3app3nthILi4EEEiRSt5arrayIiXT_EE",
		{"app::nth", "app::nth<4>", "app::nth<4>(std::array<int, 4>&)"},
		false},
	{"_ZThn8_N3app7Derived1fEi",
		{"non-virtual thunk to app::Derived::f", NULL,
			"non-virtual thunk to app::Derived::f(int)"},
		false},
	{"_ZNSt6vectorIiSaIiEE9push_backEOi",
		{"std::vector<int>::push_back", NULL,
			"std::vector<int>::push_back(int&&)"},
		true},
	{"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcRKS3_",
		{"std::string::string", NULL,
			"std::string::string(char const*, "
			"std::allocator<char> const&)"},
		true},
	{"_ZNSolsEi",
		{"std::ostream::operator<<", NULL,
			"std::ostream::operator<<(int)"},
		true},
	{"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		{"std::operator<<", "std::operator<< <std::char_traits<char>>",
			"std::operator<< <std::char_traits<char>>"
			"(std::ostream&, char const*)"},
		true},
	/* libc++, Abseil */
	{"_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backEOi",
		{"std::vector<int>::push_back", NULL,
			"std::vector<int>::push_back(int&&)"},
		true},
	{"_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6"
	 "appendEPKc",
		{"std::string::append", NULL,
			"std::string::append(char const*)"},
		true},
	{"absl::lts_20230802::Mutex::Lock()",
		{"absl::Mutex::Lock", NULL, "absl::Mutex::Lock()"}, false},
	/* lambdas, local and nameless scopes */
	{"_ZZ4mainENKUliiE0_clEii",
		{"main::{lambda#2}", "main::{lambda#2}::operator()",
			"main::{lambda(int, int)#2}::operator()(int, int) "
			"const"},
		false},
	{"foo(int)::{lambda(auto:1)#2}::operator()<int>(int) const",
		{"foo::{lambda#2}", "foo::{lambda#2}::operator()<int>",
			"foo(int)::{lambda(auto:1)#2}::operator()<int>(int) "
			"const"},
		false},
	{"main::{lambda@main.cc:10:20}::operator()",
		{"main::{lambda@main.cc:10:20}",
			"main::{lambda@main.cc:10:20}::operator()", NULL},
		false},
	{"(anonymous namespace)::Hidden::go(std::vector<int, "
	 "std::allocator<int> > const&) const &",
		{"(anonymous namespace)::Hidden::go", NULL,
			"(anonymous namespace)::Hidden::go(std::vector<int> "
			"const&) const &"},
		false},
	{"std::function<int (int)>::operator()(int) const",
		{"std::function<int (int)>::operator()", NULL,
			"std::function<int (int)>::operator()(int) const"},
		true},
	{"std::_Function_handler<int (int), main::{lambda(int)#1}>::_M_invoke("
	 "std::_Any_data const&, int&&)",
		{"std::_Function_handler<int (int), main::{lambda#1}>::"
		 "_M_invoke",
			NULL,
			"std::_Function_handler<int (int), "
			"main::{lambda(int)#1}>::_M_invoke(std::_Any_data "
			"const&, int&&)"},
		true},
	{"work(std::vector<Rec>&)::<lambda(const Rec&)>::operator()",
		{"work::<lambda>", "work::<lambda>::operator()",
			"work(std::vector<Rec>&)::<lambda(const "
			"Rec&)>::operator()"},
		false},
	{"std::sort<__gnu_cxx::__normal_iterator<Rec*, std::vector<Rec> >, "
	 "work(std::vector<Rec>&)::<lambda@b.cc:11:71(const Rec&)> >",
		{"std::sort",
			"std::sort<std::vector<Rec>::iterator, "
			"work::<lambda@b.cc:11:71>>",
			"std::sort<std::vector<Rec>::iterator, "
			"work(std::vector<Rec>&)::<lambda@b.cc:11:71(const "
			"Rec&)>>"},
		true},
	{"__gnu_cxx::__normal_iterator<int const*, std::vector<int, "
	 "std::allocator<int> > >::operator++()",
		{"std::vector<int>::const_iterator::operator++", NULL,
			"std::vector<int>::const_iterator::operator++()"},
		true},
	/* operators, return types, defaults */
	{"Foo::operator std::vector<int, std::allocator<int> >() const",
		{"Foo::operator std::vector<int>", NULL,
			"Foo::operator std::vector<int>() const"},
		false},
	{"operator new(unsigned long)",
		{"operator new", NULL, "operator new(unsigned long)"}, false},
	{"bool operator< <int>(A<int> const&, A<int> const&)",
		{"operator<", "operator< <int>",
			"operator< <int>(A<int> const&, A<int> const&)"},
		false},
	{"bool __gnu_cxx::__ops::_Iter_less_iter::operator()<int*, int*>(int*, "
	 "int*) const",
		{"__gnu_cxx::__ops::_Iter_less_iter::operator()",
			"__gnu_cxx::__ops::_Iter_less_iter::operator()<int*, "
			"int*>",
			"__gnu_cxx::__ops::_Iter_less_iter::operator()<int*, "
			"int*>(int*, int*) const"},
		true},
	{"decltype(auto) ns::invoke<int&>(int&)",
		{"ns::invoke", "ns::invoke<int&>", "ns::invoke<int&>(int&)"},
		false},
	{"decltype ((forward<int>)(fp)) ns::invoke<int&>(int&)",
		{"ns::invoke", "ns::invoke<int&>", "ns::invoke<int&>(int&)"},
		false},
	{"ns::X<((4)<(5))>::f()",
		{"ns::X<((4)<(5))>::f", NULL, "ns::X<((4)<(5))>::f()"}, false},
	{"foo[abi:cxx11](int)", {"foo", NULL, "foo(int)"}, false},
	{"std::map<int, std::unique_ptr<X, std::default_delete<X> >, "
	 "std::less<int>, std::allocator<std::pair<int const, "
	 "std::unique_ptr<X, std::default_delete<X> > > > >::at(int const&)",
		{"std::map<int, std::unique_ptr<X>>::at", NULL,
			"std::map<int, std::unique_ptr<X>>::at(int const&)"},
		true},
	{"std::unordered_map<" STRING ", int, std::hash<" STRING
	 ">, std::equal_to<" STRING ">, std::allocator<std::pair<" STRING
	 " const, int> > >::operator[](" STRING "&&)",
		{"std::unordered_map<std::string, int>::operator[]", NULL,
			"std::unordered_map<std::string, int>::operator[]("
			"std::string&&)"},
		true},
	{"std::_Hashtable<int, std::pair<int const, int>, "
	 "std::allocator<std::pair<int const, int> >, "
	 "std::__detail::_Select1st, std::equal_to<int>, std::hash<int>, "
	 "std::__detail::_Mod_range_hashing>::clear()",
		{"std::_Hashtable<int, std::pair<int const, int>, "
		 "...>::clear",
			NULL,
			"std::_Hashtable<int, std::pair<int const, int>, "
			"...>::clear()"},
		true},
	/* an argument that is no default stays */
	{"std::set<int, std::greater<int>, std::allocator<int> >::clear()",
		{"std::set<int, std::greater<int>>::clear", NULL,
			"std::set<int, std::greater<int>>::clear()"},
		true},
	{"std::set<int, std::less<long>, my::allocator<int> >::clear()",
		{"std::set<int, std::less<long>, my::allocator<int>>::clear",
			NULL,
			"std::set<int, std::less<long>, "
			"my::allocator<int>>::clear()"},
		true},
	{"std::allocator<int>::allocate(unsigned long)",
		{"std::allocator<int>::allocate", NULL,
			"std::allocator<int>::allocate(unsigned long)"},
		true},
	{"core::Engine::run(std::vector<core::Foo, std::allocator<core::Foo> "
	 ">)",
		{"core::Engine::run", NULL,
			"core::Engine::run(std::vector<core::Foo>)"},
		false},
	{"Pool<int, Global>::get()",
		{"Pool<int, Global>::get", NULL, "Pool<int, Global>::get()"},
		false},
	/* suffixes of clones */
	{"_Z1fi.constprop.0", {"f.constprop.0", NULL, "f(int).constprop.0"},
		false},
	/* Rust, legacy */
	{"_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop.."
	 "Drop$GT$4drop17h0011223344556677E",
		{"<Vec<T, A> as Drop>::drop", NULL,
			"<alloc::vec::Vec<T, A> as "
			"core::ops::drop::Drop>::drop"},
		true},
	{"_ZN5hello4main28_$u7b$$u7b$closure$u7d$$u7d$17h1234567890abcdefE",
		{"hello::main::{{closure}}", NULL, NULL}, false},
	{"_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop::"
	 "h0123456789abcdef",
		{"<Vec<T> as Drop>::drop", NULL,
			"<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
		true},
	{"std::sys::backtrace::__rust_begin_short_backtrace::h0123456789abcdef",
		{"std::sys::backtrace::__rust_begin_short_backtrace", NULL,
			NULL},
		true},
	{"core::slice::<impl [T]>::iter",
		{"core::slice::<impl [T]>::iter", NULL, NULL}, true},
	{"core::ops::function::FnOnce::call_once{{vtable.shim}}",
		{"core::ops::function::FnOnce::call_once{{vtable.shim}}", NULL,
			NULL},
		true},
	/* Rust, v0 */
	{"_RNvCs1234_7mycrate3foo", {"mycrate::foo", NULL, NULL}, false},
	{"_RNCNvCs1234_7mycrate4main0B3_",
		{"mycrate::main::{closure#0}", NULL, NULL}, false},
	{"_RNvXs_Cs1234_7mycrateNtB4_3FooNtNtCs5678_4core3fmt5Debug3fmt",
		{"<mycrate::Foo as Debug>::fmt", NULL,
			"<mycrate::Foo as core::fmt::Debug>::fmt"},
		false},
	{"_RINvNtCs5678_4core3ptr13drop_in_placeINtNtCs9_5alloc3vec3VechEECs123"
	 "4_7mycrate",
		{"core::ptr::drop_in_place",
			"core::ptr::drop_in_place<Vec<u8>>",
			"core::ptr::drop_in_place<alloc::vec::Vec<u8>>"},
		true},
	{"<&T as core::fmt::Display>::fmt",
		{"<&T as Display>::fmt", NULL,
			"<&T as core::fmt::Display>::fmt"},
		true},
	{"<core::option::Option<<I as core::iter::Iterator>::Item> as "
	 "core::fmt::Debug>::fmt",
		{"<Option<<I as Iterator>::Item> as Debug>::fmt", NULL,
			"<core::option::Option<<I as "
			"core::iter::Iterator>::Item> as "
			"core::fmt::Debug>::fmt"},
		true},
	/* neither, or unknown */
	{"main", {"main", NULL, NULL}, false},
	{"_start", {"_start", NULL, NULL}, false},
	{"std", {"std", NULL, NULL}, false},
	{"main.(*T).Method", {"main.(*T).Method", NULL, NULL}, false},
	{"std.stdio.writeln!(char[]).writeln(char[])",
		{"std.stdio.writeln!(char[]).writeln(char[])", NULL, NULL},
		false},
	{"LazyCompile:~foo /srv/x.js:12",
		{"LazyCompile:~foo /srv/x.js:12", NULL, NULL}, false},
	{"void (*foo<int>(int))(double)",
		{"void (*foo<int>(int))(double)", NULL, NULL}, false},
	{"", {"", NULL, NULL}, false},
	{"::", {"::", NULL, NULL}, false},
	{"<", {"<", NULL, NULL}, false},
	{">)(<", {">)(<", NULL, NULL}, false},
	{"operator", {"operator", NULL, NULL}, false},
};

static void check_rows(struct bytes *buf)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char full[DEMANGLE_OUTPUT_MAX];
		const char *want = "";

		if (!demangle(rows[i].name, full))
			snprintf(full, sizeof full, "%s", rows[i].name);
		for (int form = 0; form < NAME_FORMS; form++) {
			const char *got =
				name_shorten(full, (enum name_form)form, buf);

			if (rows[i].form[form])
				want = rows[i].form[form];
			if (!ok(got && !strcmp(got, want), "%s, form %d",
				    rows[i].name, form))
				diag("is %s, should be %s", got, want);
		}
		ok(name_is_internal(full) == rows[i].internal, "%s is %s",
			rows[i].name,
			rows[i].internal ? "the library's" : "the program's");
	}
}

static const struct {
	const char *name;
	char told; /* stays where it is first */
	const char *outer, *bare, *last;
} squeezed[] = {
	{"main", 0, "main", "main", "main"},
	{"a::b::f<std::vector<std::pair<int, long>>>", 0,
		"a::b::f<std::vector<...>>", "a::b::f<...>", "...::b::f<...>"},
	{"f<int>", 0, "f<int>", "f<int>", "f<int>"},
	{"ns::M<K1, V<A>>::at(K1 const&)", 'V',
		"ns::M<K1, V<A>>::at(K1 const&)", "ns::M<..., V<A>>::at(...)",
		"...::M<..., V<A>>::at(...)"},
	{"ns::M<X, V<Allocated>, Y>::at", 'c', "ns::M<X, V<Allocated>, Y>::at",
		"ns::M<..., V<Allocated>, ...>::at",
		"...::M<..., V<Allocated>, ...>::at"},
	{"a::tell::c::d::e", 't', "a::tell::c::d::e", "a::tell::c::d::e",
		"...::tell::...::d::e"},
	{"JS:*known /srv/shop/app.js:1:15", 0, "JS:*known app.js:1:15",
		"JS:*known app.js:1:15", "JS:*known app.js:1:15"},
	{"JS:*known /srv/shop/app.js:1:15", 'r',
		"JS:*known /srv/shop/app.js:1:15",
		"JS:*known /srv/shop/app.js:1:15",
		"JS:*known /srv/shop/app.js:1:15"},
	{"py::known:/srv/shop/app.py", 0, "py::known:app.py",
		"py::known:app.py", "py::known:app.py"},
	{"/srv/shop/app.c", 0, ".../app.c", ".../app.c", ".../app.c"},
	{"/srv/shop/app.c", 'v', "/srv/shop/app.c", "/srv/shop/app.c",
		"/srv/shop/app.c"},
	{"ns::(anonymous namespace)::f<long>", 0,
		"ns::(anonymous namespace)::f<long>",
		"ns::(anonymous namespace)::f<...>",
		"...::(anonymous namespace)::f<...>"},
	{"a::b::f::{lambda(std::string, int)#1}::operator()", 0,
		"a::b::f::{lambda(std::string, int)#1}::operator()",
		"a::b::f::{lambda(...)#1}::operator()",
		"...::b::f::{lambda(...)#1}::operator()"},
	{"std::operator<< <char, Traits>", 0, "std::operator<< <char, Traits>",
		"std::operator<< <...>", "std::operator<< <...>"},
	{"<alloc::vec::Vec<Item> as core::ops::Drop>::drop", 0,
		"<alloc::vec::Vec<Item> as core::ops::Drop>::drop",
		"<alloc::vec::Vec<...> as core::ops::Drop>::drop",
		"<alloc::vec::Vec<...> as core::ops::Drop>::drop"},
	{"alloc::slice::<impl [Item]>::sort", 0,
		"alloc::slice::<impl [Item]>::sort",
		"alloc::slice::<impl [Item]>::sort",
		"...::<impl [Item]>::sort"},
};

static void check_squeezed(void)
{
	for (size_t i = 0; i < sizeof squeezed / sizeof *squeezed; i++) {
		const char *name = squeezed[i].name;
		const char *want[] = {name, squeezed[i].outer, squeezed[i].bare,
			squeezed[i].last};
		size_t told =
			squeezed[i].told
				? (size_t)(strchr(name, squeezed[i].told) -
					   name)
				: SIZE_MAX;

		for (int s = NAME_WHOLE; s <= NAME_LAST; s++) {
			char *got =
				name_squeeze(name, (enum name_squeeze)s, told);

			if (!ok(got && !strcmp(got, want[s]), "%s, squeezed %d",
				    name, s))
				diag("is %s, should be %s", got, want[s]);
			free(got);
		}
	}
}

/* Every beginning of every name, and brackets without end. */
static void check_hostile(struct bytes *buf)
{
	static char deep[100000];
	char part[DEMANGLE_OUTPUT_MAX];
	bool all = true;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(part, sizeof part, "%s", rows[i].name);
		for (size_t n = strlen(part); n > 0; n--) {
			part[n] = '\0';
			for (int f = 0; f < NAME_FORMS; f++)
				all &= name_shorten(part, (enum name_form)f,
					       buf) != NULL;
			name_is_internal(part);
			for (int s = NAME_OUTER; s <= NAME_LAST; s++) {
				char *text = name_squeeze(
					part, (enum name_squeeze)s, n / 2);

				all &= text != NULL;
				free(text);
			}
		}
	}
	ok(all, "names that were cut anywhere");
	for (const char *c = "<({[:>$"; *c; c++) {
		memset(deep, *c, sizeof deep - 1);
		for (size_t n = sizeof deep - 1; n > 1; n /= 3) {
			deep[n] = '\0';
			all &= name_shorten(deep, NAME_SHORT, buf) &&
			       strlen((const char *)buf->v) <= n;
		}
	}
	ok(all, "nothing but brackets");
	for (size_t i = 0; i + 2 < sizeof deep; i += 2)
		memcpy(deep + i, "a<", 2);
	deep[sizeof deep - 2] = '\0';
	ok(name_shorten(deep, NAME_SHORT, buf) && !strcmp(deep, (char *)buf->v),
		"templates nested too deeply stay as they are");
}

/* Go's packages by name: -trimpath leaves "os/file.go" of where they lie, and
   of a module "shop" no more than "shop/os/file.go".  Python's and those of
   headers by file. */
static void check_libraries(void)
{
	static const struct {
		struct function f;
		bool is;
	} is[] = {
		{{.name = "os.(*File).Write"}, true},
		{{.name = "internal/poll.(*FD).Write"}, true},
		{{.name = "runtime/internal/syscall.Syscall6"}, true},
		{{.name = "vendor/golang.org/x/crypto/chacha20.quarter"}, true},
		{{.name = "encoding/json.mapEncoder.encode-fm"}, true},
		{{.name = "runtime.gcenable.func1"}, true},
		{{.name = "main.main"}, false},
		{{.name = "github.com/me/os.Write"}, false},
		{{.name = "shop/os.(*File).Write"}, false},
		{{.name = "cmd/compile/internal/ssa.Compile"}, false},
		{{.name = "o.Write"}, false},
		{{.name = "os"}, false},
		{{.name = "time.constprop.0"}, false},
		{{.name = "sort.cold"}, false},
		{{.name = "json.loads", .source = CPD_NAME_RUNTIME}, false},
		{{.name = "time.sleep", .source = CPD_NAME_RUNTIME}, false},
		{{.name = "loads",
			 .source = CPD_NAME_RUNTIME,
			 .file = "/usr/lib/python3.11/json/__init__.py"},
			true},
		{{.name = "loads",
			 .source = CPD_NAME_RUNTIME,
			 .file = "/opt/shop/lib/loads.py"},
			false},
		{{.name = "__gthread_mutex_lock",
			 .file = "/usr/include/c++/12/bits/gthr-default.h"},
			true},
		{{.name = "lock", .file = "/src/usr/include/lock.h"}, false},
		{{.name = "<u64>::wrapping_add",
			 .file = "/rustc/5980/library/core/src/num/"
				 "uint_macros.rs"},
			true},
		{{.name = "shop::add", .file = "/opt/rustc/shop.rs"}, false},
	};
	bool all = true;

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		struct function f = is[i].f;

		f.module = "program";
		f.file = f.file ?: "";
		all &= dataset_is_librarys(&f) == is[i].is;
	}
	ok(all, "functions of libraries: of Go, Python, Rust and headers");
}

int main(void)
{
	struct bytes buf = {0};

	check_rows(&buf);
	check_squeezed();
	check_hostile(&buf);
	check_libraries();
	bytes_free(&buf);
	return done_testing();
}
