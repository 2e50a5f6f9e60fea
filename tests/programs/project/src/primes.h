#ifndef PRIMES_H
#define PRIMES_H

/* How many primes there are from `first` on, every `step`th number, below `limit`. */
long count_primes(long first, long step, long limit);

#endif
