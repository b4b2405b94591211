/** Stryker asks only whether a property fails: the first counterexample is enough, and need not be made smaller. */
require('fast-check').configureGlobal({ endOnFailure: true });
