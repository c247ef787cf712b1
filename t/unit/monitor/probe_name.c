/* probe_name - which symbols are the function that somebody names. */
#include "monitor/probe/symbols.h"

#include "t/lib/tap.h"

static const struct {
	const char *symbol, *wanted;
	bool is;
} rows[] = {
	{"f", "f", true},
	{"f", "g", false},
	{"f@@VERS_1", "f", true},
	{"f@VERS_1", "f", true},
	{"ff", "f", false},
	/* copies are called, pieces are not */
	{"f.constprop.0", "f", true},
	{"f.isra.0", "f", true},
	{"f.isra.0.constprop.1", "f", true},
	{"f.lto_priv.7", "f", true},
	{"f.localalias", "f", true},
	{"f.cold", "f", false},
	{"f.constprop.0.cold", "f", false},
	{"f.part.0", "f", false},
	{"f.part.0.isra.0", "f", false},
	{"f.part.0", "f.part.0", true},
	{"f.cold", "f.cold", true},
	/* C++: ns::f(int), ns::f(char), and templates */
	{"_ZN2ns1fEi", "ns::f", true},
	{"_ZN2ns1fEc", "ns::f", true},
	{"_ZN2ns1fEi", "ns::f(int)", true},
	{"_ZN2ns1fEc", "ns::f(int)", false},
	{"_ZN2ns1fEi", "_ZN2ns1fEi", true},
	{"_ZN2ns1fEi", "_ZN2ns1fEc", false},
	{"_ZN2ns1fEi", "f", false},
	{"_ZN2ns1fEi", "s::f", false},
	{"_ZN2ns1fEi.constprop.0", "ns::f", true},
	{"_ZN2ns1fEi.cold", "ns::f", false},
	{"_ZN2ns1gIiEEvT_", "ns::g", true},
	{"_ZN2ns1gIiEEvT_", "ns::g<int>", true},
	{"_ZN2ns1gIiEEvT_", "void ns::g<int>(int)", true},
	{"_ZN2ns1gIiEEvT_", "ns::g<char>", false},
	{"_ZNK2ns1C3getEv", "ns::C::get", true},
	{"_ZNK2ns1C3getEv", "ns::C::get() const", true},
	{"_ZN2ns1CplERKS0_", "ns::C::operator+", true},
	{"_ZN2ns1CclEi", "ns::C::operator()", true},
	{"_ZN12_GLOBAL__N_11hEv", "(anonymous namespace)::h", true},
	{"_ZN2ns1CC1Ev", "ns::C::C", true},
	{"_ZN2ns1CD1Ev", "ns::C::~C", true},
	{"_ZN2ns1CD0Ev", "ns::C::~C", false}, /* calls the one above */
	/* Rust, legacy and v0 */
	{"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", true},
	{"_RNvNtCsbmNqQUJIY6D_4core3fmt5write", "core::fmt::write", true},
	/* Go's, as reports have them */
	{"runtime.futex.abi0", "runtime.futex", true},
	{"runtime.futex.abi0", "runtime.futex.abi0", true},
	{"runtime.futexsleep", "runtime.futex", false},
	/* names of no function */
	{"", "", false},
	{"@", "", false},
};

int main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(probe_name_is(rows[i].symbol, rows[i].wanted) == rows[i].is,
			"%s %s %s", rows[i].symbol,
			rows[i].is ? "is" : "is not", rows[i].wanted);
	return done_testing();
}
