/**
 * The operations that are held back because the database may have lost commits (docs/adr/0050):
 *
 * - `none`        nothing
 * - `failover`    a route waits for its own PSP; a person has compared what later routes did
 * - `operations`  also, an operation that several PSPs could carry out is not sent to any of them
 * - `unknown`     no session says which of these: what answers next may be another database
 */
export type Hold = 'none' | 'failover' | 'operations' | 'unknown';
