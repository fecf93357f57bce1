#include "infrastructure/runtime/fiber_guard.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SIGNAL_STACK_BYTES (64 * 1024)

static struct sigaction previous;

/* Runs on the signal stack and calls only what is safe there. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    static const char message[] = "mistro: a task overflowed its stack of 1 MiB\n";
    (void)context;
    if (info->si_code > 0 && fiber_guard_holds(info->si_addr)) {
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        abort();
    }
    /* Not ours: the instruction faults again, under the handler that was there before. */
    sigaction(number, &previous, NULL);
    if (info->si_code <= 0)
        raise(number);
}

/* Sanitizers have a signal stack of their own, which serves as well. */
static void need_signal_stack(void)
{
    static _Alignas(16) char bytes[SIGNAL_STACK_BYTES];
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && !(present.ss_flags & SS_DISABLE))
        return;
    stack_t own = { .ss_sp = bytes, .ss_size = sizeof bytes };
    sigaltstack(&own, NULL);
}

void fiber_guard_install(void)
{
    struct sigaction present;
    sigaction(SIGSEGV, NULL, &present);
    if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_fault)
        return;
    need_signal_stack();
    struct sigaction own = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigemptyset(&own.sa_mask);
    sigaction(SIGSEGV, &own, &previous);
}
