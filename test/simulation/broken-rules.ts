/** A rule that is broken on purpose, to see the simulation notice. */
export interface BrokenRule {
  /** What is taken for true instead. */
  readonly rule: string;
  /** The schedules that notice. */
  readonly of: readonly ('payment' | 'payouts' | 'orders' | 'restored')[];
  /** The seeds that are played, in which it is noticed. */
  readonly seeds: readonly [from: number, to: number];
  /** The faults in which a campaign of chaos notices, too. */
  readonly chaos?: string;
  /** What is taken from the database besides, which would still refuse it. */
  readonly unguarded?: string;
  /** Compiled, below dist/. */
  readonly file: string;
  /** What stands there once, and what is put in its place. */
  readonly lines: readonly (readonly [find: string | RegExp, put: string])[];
}

export const brokenRules: readonly BrokenRule[] = [
  {
    // Whatever a PSP leaves in doubt is passed off as never sent, so that the next PSP is asked at once.
    rule: 'a call in doubt is taken for none',
    of: ['payment', 'payouts'],
    seeds: [1, 200],
    chaos: 'PSP',
    file: 'src/request-storage/decisions/assess-route.js',
    lines: [
      ["a.outcome === 'unknown' || a.outcome === null", 'false'],
      ['default:', "default: return { ...ruledOut('not_sent', last), untouched: true };"],
    ],
  },
  {
    // A call that was not made because the lock had gone is taken for the PSP's word that nothing was done.
    rule: 'a lock of ours that has gone is taken for a proof',
    of: ['payment'],
    seeds: [1, 400],
    file: 'src/request-storage/decisions/assess-route.js',
    lines: [["&& (a.kind === 'complete' || !wasSkipped(a))", '']],
  },
  {
    // The order counts the last payment alone, too, so that its row in the database refuses nothing.
    rule: 'a payment in doubt makes room for another',
    of: ['orders'],
    seeds: [1, 400],
    chaos: 'PSP',
    unguarded: 'DROP INDEX payments_one_holds_order',
    file: 'src/payments/order-rules.js',
    lines: [
      ['if (open.length > 0 && (!inParts || amount > amountDue - order.amountLive)) {', 'if (false) {'],
      ['const amountLive = order.amountLive + amount;', 'const amountLive = amount;'],
    ],
  },
  {
    // Whichever account a name stands for now is taken for the one that the route was opened with.
    rule: 'another account under the same name is taken for the first',
    of: ['payouts'],
    seeds: [1, 400],
    file: 'src/request-storage/decisions/next-step.js',
    lines: [['!isSameAccount(opened, configured)', 'false']],
  },
  {
    // The PSP does not recognize a request that comes again after a loss.
    rule: 'a key at PSPs is drawn anew for every payment',
    of: ['restored'],
    seeds: [1, 200],
    file: 'src/request-storage/entity-key.js',
    lines: [[/clientKey\) ?=> ?digest\(/, 'clientKey) => digest(Math.random() + ']],
  },
  {
    rule: 'an open route is sent that another PSP may have done',
    of: ['restored'],
    seeds: [5_120, 5_130],
    file: 'src/request-storage/decisions/next-step.js',
    lines: [['return isHeld && ', 'return false && ']],
  },
  {
    rule: 'a payment is taken that another PSP may have made',
    of: ['restored'],
    seeds: [50, 200],
    file: 'src/request-storage/request-storage.js',
    lines: [['if (candidates.length < 2 || ', 'if (candidates.length < 99 || ']],
  },
  {
    // Once a person resumes.
    rule: 'another PSP is asked where the first cannot be reached',
    of: ['restored'],
    seeds: [500, 600],
    file: 'src/request-storage/decisions/next-step.js',
    lines: [['return isAboutThisRequest && ', 'return false && ']],
  },
  {
    rule: 'each process goes by the clock of its own machine, and trusts it',
    of: ['payment'],
    seeds: [800, 12_000],
    file: 'src/core/database-clock.js',
    lines: [
      ['now() {', 'now() { return this.own.now();'],
      ['isTrusted() {', 'isTrusted() { return true;'],
    ],
  },
  {
    // Schedules have no disk.
    rule: 'a commit is acknowledged before it is on disk',
    of: [],
    seeds: [1, 1],
    chaos: 'Postgres crashes',
    file: 'src/database/connection.js',
    lines: [
      [
        "'on', false) WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')",
        "'off', false)",
      ],
    ],
  },
];

/** The code with the rule broken. @throws where a text to replace does not stand there once */
export function broken({ file, lines }: BrokenRule, code: string): string {
  return lines.reduce((before, [find, put]) => {
    if (before.split(find).length !== 2) throw new Error(`${file} does not hold once: ${String(find)}`);
    return before.replace(find, () => put);
  }, code);
}
