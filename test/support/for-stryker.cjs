/**
 * Stryker asks only whether a property fails, two thousand times: the first counterexample is enough and need not be made
 * smaller, and a fiftieth of the cases is drawn. What survives by that is told as survived.
 */
require('fast-check').configureGlobal({ endOnFailure: true });
process.env['PROPERTY_SEED'] ??= '1';
process.env['PROPERTY_FACTOR'] ??= '0.02';
