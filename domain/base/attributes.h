/* Words that declarations use to say what a signature cannot.
 *
 * MUST_CHECK  the caller may not ignore the result.
 * awaits      the function may wait: other tasks run before it returns, so no iterator, borrowed
 *             pointer into shared state, errno or open transaction may be kept across the call.
 *             It compiles to nothing; readers and reviewers use it. */
#ifndef DOMAIN_BASE_ATTRIBUTES_H
#define DOMAIN_BASE_ATTRIBUTES_H

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define awaits

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
