/* The tail of Student's distribution, by the continued fraction of the
   incomplete beta function. */
#include "analyzer/diff/student.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function (Abramowitz and
 * Stegun 26.5.8), by Lentz's method.
 */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
	f = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step = 1;

		for (int k = 0; k < 2; k++) {
			double term = k ? odd : even;

			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
			c = fabs(c) < 1e-300 ? 1e-300 : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularized incomplete beta function I_x(a, b). */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	if (x > (a + 1) / (a + b + 2))
		return 1 - beta(1 - x, b, a);
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log(1 - x));
	return front * fraction(x, a, b) / a;
}

static double tail_above(double t, double df)
{
	return beta(df / (df + t * t), df / 2, 0.5) / 2;
}

double student_t(double tail, double df)
{
	double lo = 0, hi = 1;

	while (hi < 1e12 && tail_above(hi, df) > tail)
		hi *= 2;
	for (int i = 0; i < 200 && hi - lo > 1e-12 * hi; i++) {
		double mid = (lo + hi) / 2;

		*(tail_above(mid, df) > tail ? &lo : &hi) = mid;
	}
	return hi;
}
