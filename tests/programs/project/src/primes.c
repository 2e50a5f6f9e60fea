#include "primes.h"

static int is_prime(long number)
{
    if (number < 2)
        return 0;
    for (long divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return 0;
    return 1;
}

long count_primes(long first, long step, long limit)
{
    long count = 0;
    for (long number = first; number < limit; number += step)
        count += is_prime(number);
    return count;
}
