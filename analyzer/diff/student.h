/*
 * student.h - Student's distribution of t.
 */
#ifndef CPPROF_DIFF_STUDENT_H
#define CPPROF_DIFF_STUDENT_H

/*
 * The t that a variable with DF degrees of freedom (any number above 0) exceeds
 * with the probability TAIL, above 0 and at most 0.5.
 */
double student_t(double tail, double df);

#endif
