/**
 * `npm run mutants [-- --core | --list] [name …]`: breaks each guard of a list by hand, one after the other, runs the specs that stand nearest
 * to it and expects them to fail. Exits 1 if a broken guard passed. A guard whose file changed so that the text to break
 * is not found any more is an error, not a pass; --list looks for these texts alone. Files are restored, also on Ctrl-C.
 * With --core Stryker changes every expression of the pure core instead, see stryker.config.mjs.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const jest = require.resolve('jest/bin/jest');
const TIMEOUT_MS = 180_000;

/** @type {readonly { guard: string, file: string, find: string, put: string, specs: readonly string[] }[]} */
const mutants = [
  {
    guard: 'refunds never exceed what was captured, in the database',
    file: 'migrations/0004-refunds.ts',
    find: 'refund_reserved  >= 0 AND amount_refunded + refund_reserved  <= amount_captured);',
    put: 'true);',
    specs: ['test/database/store'],
  },
  {
    guard: 'captures never exceed what was authorized, in the database',
    file: 'migrations/0004-refunds.ts',
    find: 'capture_reserved >= 0 AND amount_captured + capture_reserved <= amount AND',
    put: '',
    specs: ['test/database/store'],
  },
  {
    guard: 'refunds never exceed what was captured, in memory',
    file: 'test/support/table-rules.ts',
    find: 'amountRefunded + refundReserved <= amountCaptured',
    put: 'true',
    specs: ['test/support/table-rules'],
  },
  {
    guard: 'a lookup reads around no replay',
    file: 'src/request-storage/decisions/attempt.ts',
    find: 'i <= first || !isReplay(a)',
    put: 'a.startedAt',
    specs: ['src/request-storage/decisions/advance'],
  },
  {
    guard: 'a session beside another credential lets no request in',
    file: 'src/http/access.ts',
    find: '!== undefined && !hasToken',
    put: '!== undefined',
    specs: ['test/api/ops-service'],
  },
  {
    guard: 'a session lets in what the console asks, and nothing else',
    file: 'src/http/access.ts',
    find: 'headers[CONSOLE_HEADER] !== undefined && !hasToken',
    put: '!hasToken',
    specs: ['test/api/ops'],
  },
  {
    guard: 'the fields within a field are held to their rules',
    file: 'src/http/request.pipe.ts',
    find: 'own && !fits(own, value as object)',
    put: 'false',
    specs: ['src/http/request.pipe'],
  },
  {
    guard: 'a refund in progress counts as done',
    file: 'src/refunds/refund-rules.ts',
    find: 'amountCaptured - amountRefunded - refundReserved',
    put: 'amountCaptured - amountRefunded + 0 * refundReserved',
    specs: ['src/refunds'],
  },
  {
    guard: 'a refund that the PSP had done is not done again under its name',
    file: 'src/refunds/refund-rules.ts',
    find: "refund.status !== 'failed' || requestedVerdict(state) !== 'effective'",
    put: "refund.status !== 'failed' || requestedVerdict(state) !== 'open'",
    specs: ['src/refunds'],
  },
  {
    guard: 'one live payment of an order, in the database',
    file: 'migrations/0201-indexes-beside-work.ts',
    find: "'payments (merchant_id, order_reference) WHERE holds_order',\n      'unique',",
    put: "'payments (merchant_id, order_reference) WHERE holds_order',",
    specs: ['test/orders/orders'],
  },
  {
    guard: 'no more live for an order than is due, in the database',
    file: 'migrations/0185-orders.ts',
    find: 'amount_live <= amount_due + amount_overpaid',
    put: 'true',
    specs: ['test/orders/orders'],
  },
  {
    guard: 'a payment in doubt makes no room in its order',
    file: 'src/payments/order-rules.ts',
    find: 'if (open.length > 0 && (!inParts || amount > amountDue - order.amountLive)) {',
    put: 'if (open.length > 1e9) {',
    specs: ['src/payments/order'],
  },
  {
    guard: 'money that came back makes room in its order',
    file: 'src/payments/order-rules.ts',
    find: 'return { live: paid, paid };',
    put: 'return { live: amountCaptured, paid };',
    specs: ['src/payments/order'],
  },
  {
    guard: 'one live route for an entity key',
    file: 'migrations/0002-charge-once.ts',
    find: 'CREATE UNIQUE INDEX psp_requests_one_live_route',
    put: 'CREATE INDEX psp_requests_one_live_route',
    specs: ['test/database/store'],
  },
  {
    guard: 'a sign-in takes no place before its body is there',
    file: 'src/http/strangers-gate.ts',
    find: 'if (oldest && this.arriving.size >= this.limits.maxArriving) this.cutOff(oldest);',
    put: 'this.places.take(request.inFlight);',
    specs: ['test/operators/strangers'],
  },
  {
    guard: 'sign-ins whose bodies are there have a bound',
    file: 'src/http/strangers-gate.ts',
    find: "reply.raw.once('close'",
    put: "request.raw.once('close'",
    specs: ['test/operators/strangers'],
  },
  {
    guard: 'a body that was cut off is not worked on',
    file: 'src/http/strangers-gate.ts',
    find: 'if (!this.arriving.has(request)) throw problemOfStatus(408);',
    put: 'if (!this.arriving.has(request)) return;',
    specs: ['test/operators/strangers'],
  },
  {
    guard: 'a key that pays out is known in capital letters, too',
    file: 'src/console/console-merchants.controller.ts',
    find: 'id === objectId(replaced)',
    put: 'id === replaced',
    specs: ['test/approvals/settings'],
  },
  {
    guard: 'the console is at its own port alone',
    file: 'src/http/ops-listener.ts',
    find: 'OF_OPERATORS.test(url) === this.came.has(raw)',
    put: 'true',
    specs: ['test/operators/strangers'],
  },
  {
    guard: 'a key that is bound to a certificate is not taken without one',
    file: 'src/http/admission.ts',
    find: 'if (!needsCertificate && !shown?.isNeeded) return;',
    put: 'if (!shown?.isNeeded) return;',
    specs: ['test/grpc/tls'],
  },
  {
    guard: 'what lifts a bound takes two people',
    file: 'src/approvals/approvals.ts',
    find: 'const takesTwo = await this.settings.takesTwo(action, operator);',
    put: 'const takesTwo = await Promise.resolve(false);',
    specs: ['test/approvals/settings'],
  },
  {
    guard: 'nobody invites alone who has disabled the second person',
    file: 'src/operators/operators.ts',
    find: "WHERE o.role IN ('approver', 'admin') AND num_nonnulls",
    put: "WHERE o.role IN ('approver', 'admin') AND o.disabled_at IS NULL AND num_nonnulls",
    specs: ['test/operators/invitations'],
  },
  {
    guard: 'a link lets nobody in who has credentials',
    file: 'src/operators/operator-sessions.ts',
    find: 'AND num_nonnulls(o.password_hash, o.oidc_subject) = 0',
    put: '',
    specs: ['test/operators/invitations'],
  },
  {
    guard: 'who has credentials does not choose new ones by a session alone',
    file: 'src/operators/operators.ts',
    find: 'if (!needsCredentials(operator)) throw new Problem',
    put: 'if (operator.name === "") throw new Problem',
    specs: ['test/operators/invitations'],
  },
  {
    guard: 'a "not done" against the PSP is shown, or says that it was given back',
    file: 'src/approvals/approvable-action.ts',
    find: "return isAsked && (as === 'done' || isGivenBack || file !== null);",
    put: 'return isAsked || (as === "done" && isGivenBack && file !== null);',
    specs: ['src/approvals/approvable-action'],
  },
  {
    guard: 'what the PSP once said is not forgotten for what it says later',
    file: 'src/request-storage/decisions/person-statement-rules.ts',
    find: "a.outcome === 'canceled')",
    put: 'saysNotDone(a))',
    specs: ['src/request-storage/decisions/person-statement-rules'],
  },
  {
    guard: 'who approves that a bound is lifted gives a code',
    file: 'src/approvals/approvals.ts',
    find: 'if (isSetting(stored.action)) await this.sessions.confirm(operator, code);',
    put: '',
    specs: ['test/approvals/settings'],
  },
  {
    guard: 'a limit that lets more through is higher',
    file: 'src/approvals/lifts-bound.ts',
    find: 'isHigher(to.amount, before.amount) || isHigher(to.count, before.count)',
    put: 'isHigher(to.amount, before.amount)',
    specs: ['src/approvals/lifts-bound'],
  },
  {
    guard: 'a new address takes a key with it',
    file: 'src/psp/addresses.ts',
    find: '(hasKey(before, takes) && !hasKey(after, takes))',
    put: 'false',
    specs: ['src/psp/addresses'],
  },
  {
    guard: 'a changed address drops the keys of the one before',
    file: 'src/psp/addresses.ts',
    find: '.filter(([name]) => !dropped.includes(name))',
    put: '.filter(([name]) => name !== dropped[0] || true)',
    specs: ['src/psp/addresses'],
  },
  {
    guard: 'a read of a merchant sees nothing by itself',
    file: 'src/database/database.ts',
    find: '...(seesAll ? [FOR_ALL_TENANTS] : [])',
    put: 'FOR_ALL_TENANTS',
    specs: ['test/database/tenants'],
  },
  {
    guard: 'another PSP needs a proof',
    file: 'migrations/0002-charge-once.ts',
    find: 'ELSE rests_on_route IS NOT NULL AND rests_on_route = route - 1 END)',
    put: 'ELSE true END)',
    specs: ['test/database/store'],
  },
  {
    guard: 'a proof rests on an attempt that says so',
    file: 'migrations/0019-completions.ts',
    find: 'IF NOT coalesce(CASE NEW.kind',
    put: 'IF false AND NOT coalesce(CASE NEW.kind',
    specs: ['test/database/store'],
  },
  {
    guard: 'a call that our lock kept back proves nothing',
    file: 'src/request-storage/decisions/assess-route.ts',
    find: "a.kind === 'complete' || !wasSkipped(a)",
    put: 'true',
    specs: ['src/request-storage/decisions/skipped-call'],
  },
  {
    guard: 'a lock that is lost is taken again',
    file: 'src/idempotency/operation-run.ts',
    find: 'this.run.lockToken = holder.newToken()',
    put: 'void holder.newToken()',
    specs: ['src/idempotency/operation-run'],
  },
  {
    guard: 'the fingerprint of a payout has what it is taken from',
    file: 'src/psp/account.ts',
    find: 'JSON.stringify([adapter, new URL(url).origin, account])',
    put: 'JSON.stringify([adapter, new URL(url).origin, adapter && account])',
    specs: ['src/psp/account.spec'],
  },
  {
    guard: 'a late look does not find what a later route did',
    file: 'src/request-storage/decisions/delayed-lookup.ts',
    find: "later.verdict !== 'ruled_out'",
    put: "later.verdict === 'ruled_out'",
    specs: ['src/request-storage/decisions/delayed-lookup'],
  },
  {
    guard: 'a key of another account sends nothing',
    file: 'src/psp/stripe/stripe-account.ts',
    find: '!isAccountNamed(id, this.account!)',
    put: 'id === this.account!.length.toString()',
    specs: ['src/psp/stripe/stripe-account'],
  },
  {
    guard: 'a line proves nothing with the wrong sign',
    file: 'src/reconciliation/match.ts',
    find: "AND NOT r.is_known AND ${HAS_SIGN_OF_KIND} THEN 'due'",
    put: "AND NOT r.is_known THEN 'due'",
    specs: ['test/reconciliation/wrong-lines'],
  },
  {
    guard: 'a line with another id is not matched by our reference',
    file: 'src/reconciliation/match.ts',
    find: 'AND NOT ${ARE_OTHERS} AND',
    put: 'AND',
    specs: ['test/reconciliation/wrong-lines'],
  },
  {
    guard: 'a statement is of the attempts that were looked at',
    file: 'src/request-storage/decisions/person-statement-rules.ts',
    find: 'a.attempt > seenAttempt && isCall(a)',
    put: 'a.attempt > Infinity * seenAttempt && isCall(a)',
    specs: ['src/request-storage/decisions/person-statement-rules'],
  },
  {
    guard: 'a candidate is asked once',
    file: 'src/request-storage/decisions/next-step.ts',
    find: '!tried.has(psp) && ',
    put: '',
    specs: ['src/request-storage/decisions/next-step'],
  },
  {
    guard: 'no failover after the deadline',
    file: 'src/request-storage/decisions/next-step.ts',
    find: '!facts.deadline || facts.now >= facts.deadline || routes.length >= MAX_ROUTES',
    put: 'routes.length >= MAX_ROUTES',
    specs: ['src/request-storage/decisions/next-step'],
  },
  {
    guard: 'no failover while another PSP may have done it',
    file: 'src/request-storage/decisions/next-step.ts',
    find: 'if (!mayBeElsewhere(current, facts) || !isHeldBack(step)) return step;',
    put: 'if (!isHeldBack(step) || isHeldBack(step)) return step;',
    specs: ['src/request-storage/decisions/next-step'],
  },
  {
    guard: 'no call under a lock that would expire first',
    file: 'src/psp/psp-directory.ts',
    find: "return leaseStillValid() ? null : { outcome: 'not_sent', pspCode: LOCK_TOO_OLD };",
    put: 'return null;',
    specs: ['test/psp/lock'],
  },
  {
    guard: 'a key with another request is refused',
    file: 'src/idempotency/idempotent-runner.ts',
    find: 'const isSame = key.operation === operation.name && seal.matches(asked, key.fingerprint);',
    put: 'const isSame = key.operation === operation.name || seal.matches(asked, key.fingerprint);',
    specs: ['test/idempotency/keys'],
  },
  {
    guard: 'one payout of a recipient in progress',
    file: 'migrations/0005-payouts.ts',
    find: 'CREATE UNIQUE INDEX payouts_one_in_progress',
    put: 'CREATE INDEX payouts_one_in_progress',
    specs: ['test/payouts'],
  },
  {
    guard: 'a merchant sees its own rows alone',
    file: 'migrations/0080-tenants.ts',
    find: 'USING (payonce_sees(%I))',
    put: 'USING (true OR payonce_sees(%I))',
    specs: ['test/database/tenants'],
  },
  {
    guard: 'the audit chain is append-only',
    file: 'migrations/0091-audit-chain.ts',
    find: "RAISE EXCEPTION 'payonce_audit.% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';",
    put: 'RETURN NULL;',
    specs: ['test/database/store'],
  },
  {
    guard: 'card numbers reach no text',
    file: 'src/core/redact.ts',
    find: 'return maskCardNumbers(removeSecrets(text, secrets), REMOVED);',
    put: 'return removeSecrets(text, secrets) || maskCardNumbers(text, REMOVED);',
    specs: ['src/core/redact'],
  },
  {
    guard: 'a gRPC method asks for its scope',
    file: 'src/payouts/payouts.grpc.ts',
    find: "@MoneyRpc('Payouts', 'Create', 'payouts:write')",
    put: "@MoneyRpc('Payouts', 'Create', 'payments:read')",
    specs: ['src/grpc/rpc-access'],
  },
  {
    guard: 'a REST route asks for its scope',
    file: 'src/payouts/payouts.controller.ts',
    find: "@MovesMoney('payouts:write')",
    put: "@MovesMoney('payments:read')",
    specs: ['test/api'],
  },
  {
    guard: "a PSP's notification is signed",
    file: 'src/psp/adyen/adyen.webhook.ts',
    find: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    put: 'return given.length === expected.length || timingSafeEqual(given, expected);',
    specs: ['src/psp/adyen', 'test/contracts/notif'],
  },
  {
    guard: 'events go to public addresses alone',
    file: 'src/events/target.ts',
    find: "parsed.range() !== 'unicast' || ",
    put: '',
    specs: ['src/events', 'test/events/targets'],
  },
  {
    guard: 'a signature of Adyen that fits other fields proves nothing',
    file: 'src/psp/adyen/adyen.webhook.ts',
    find: "signed.split(':').length === SIGNED_FIELDS",
    put: 'signed.length > 0',
    specs: ['src/psp/adyen/adyen.webhook'],
  },
  {
    guard: 'an attempt ends once',
    file: 'migrations/0177-kept-history.ts',
    find: 'FOR EACH ROW WHEN (OLD.outcome IS NOT NULL\n',
    put: 'FOR EACH ROW WHEN (false\n',
    specs: ['test/database/service-role'],
  },
  {
    guard: 'no session looks into a schema of its role',
    file: 'src/database/database.ts',
    find: '    NO_SCHEMA_OF_ITS_NAME,\n',
    put: '',
    specs: ['test/database/service-role'],
  },
  {
    guard: 'no start behind a pooler that gives each transaction another session',
    file: 'src/database/server-fitness.ts',
    find: 'if (own.size > 1 || others.size > 1 || others.has(meanwhile)) return false;',
    put: '',
    specs: ['test/database/server-fitness'],
  },
  {
    guard: 'a commit whose wait for the standby was cancelled is in doubt',
    file: 'src/database/connection.ts',
    find: 'if (routine !== WAIT_FOR_STANDBY) return;',
    put: 'return;',
    specs: ['test/database/unreplicated'],
  },
  {
    guard: 'a wrong password delays only its own source',
    file: 'src/operators/operator-sessions.ts',
    find: 'deviceSource(device) : addressSource(sourceAddress)',
    put: "deviceSource(device) : addressSource('127.0.0.1')",
    specs: ['test/operators/sign-in'],
  },
  {
    guard: 'what takes money back is posted when it happens',
    file: 'src/ledger/ledger-poster.ts',
    find: "  'payment.stuck',\n",
    put: "  'payment.stuck',\n  'payment.capture_failed',\n",
    specs: ['test/ledger/poster'],
  },
  {
    guard: 'a part is captured only where the rest can stay authorized',
    file: 'src/payments/capture.flow.ts',
    find: '!state.wanted.isFinal && amount < left',
    put: 'false',
    specs: ['test/payments/capture-parts'],
  },
  {
    guard: 'a final part releases the rest also when it is settled later',
    file: 'src/payments/capture.flow.ts',
    find: 'return { final: wanted.isFinal };',
    put: 'return wanted.isNew ? { final: wanted.isFinal } : {};',
    specs: ['test/payments/capture-parts'],
  },
  {
    guard: 'an account gets only the payment methods that it takes',
    file: 'src/psp/router.ts',
    find: 'if (!offer) return',
    put: 'if (!offer && currency === method) return',
    specs: ['src/psp/router'],
  },
  {
    guard: 'a debit that is pending for days is not shown as stuck',
    file: 'src/payments/payment-operations.ts',
    find: 'isFirst && method ? withTermOf(method, known) : known',
    put: 'known',
    specs: ['test/payments/methods'],
  },
  ...[
    [
      'stripe',
      'stripe.mapping',
      "case 'canceled':\n      return { outcome: 'canceled' };",
      "case 'canceled':",
    ],
    ['adyen', 'adyen.mapping', "case 'Refused':", "case 'Refusal':"],
    [
      'checkout',
      'checkout.mapping',
      "return { ...found, outcome: 'canceled' };",
      "return { ...found, outcome: 'pending' };",
    ],
    ['square', 'square.mapping', "return { outcome: 'canceled' };", "return { outcome: 'pending' };"],
    [
      'mollie',
      'mollie.mapping',
      "return { ...found, outcome: 'canceled' };",
      "return { ...found, outcome: 'pending' };",
    ],
    [
      'gocardless',
      'gocardless.mapping',
      "return { ...found, outcome: 'canceled' };",
      "return { ...found, outcome: 'pending' };",
    ],
    [
      'paypal',
      'paypal.mapping',
      "return { ...found, outcome: 'canceled' };",
      "return { ...found, outcome: 'pending' };",
    ],
    ['bank-sepa', 'bank-answers', "RJCT: 'rejected',", "RJCT: 'settled',"],
    ['stripe', 'decline-codes', "lost_card: 'card_lost_or_stolen'", "lost_card: 'card_expired'"],
    ['adyen', 'refusal-reasons', "'12': 'insufficient_funds'", "'12': 'card_expired'"],
    ['checkout', 'response-codes', "'20051': 'insufficient_funds'", "'20051': 'card_expired'"],
    [
      'square',
      'error-codes',
      "INSUFFICIENT_FUNDS: 'insufficient_funds'",
      "INSUFFICIENT_FUNDS: 'card_expired'",
    ],
    [
      'mollie',
      'failure-reasons',
      "insufficient_funds: 'insufficient_funds'",
      "insufficient_funds: 'card_expired'",
    ],
    [
      'gocardless',
      'failure-causes',
      "insufficient_funds: 'insufficient_funds'",
      "insufficient_funds: 'card_expired'",
    ],
    ['paypal', 'decline-codes', "'5120': 'insufficient_funds'", "'5120': 'card_expired'"],
    ['bank-sepa', 'reason-codes', "AM04: 'insufficient_funds'", "AM04: 'card_expired'"],
  ].map(([psp, name, find, put]) => ({
    guard: `what ${psp} says is turned into the right word of ours, in ${name}`,
    file: `src/psp/${psp}/${name}.ts`,
    find,
    put,
    specs: [`src/psp/${psp}`, `test/contracts/${psp}`],
  })),
];

process.on('SIGINT', () => process.exit(130));
if (process.argv.includes('--core')) {
  const stryker = require
    .resolve('@stryker-mutator/core/package.json')
    .replace('package.json', 'bin/stryker.js');
  process.exit(spawnSync(process.execPath, [stryker, 'run'], { stdio: 'inherit' }).status ?? 1);
}
const names = process.argv.slice(2).filter((option) => option !== '--list');
const chosen = mutants.filter(
  ({ guard }) => names.length === 0 || names.some((name) => guard.includes(name)),
);
for (const { guard, file, find } of chosen) {
  const isThere = readFileSync(file, 'utf8').split(find).length === 2;
  if (!isThere) throw new Error(`${file} does not hold once what breaks "${guard}"`);
}
if (process.argv.includes('--list')) {
  console.log(chosen.map(({ guard }) => guard).join('\n'));
  process.exit();
}
const alive = [];
for (const { guard, file, find, put, specs } of chosen) {
  const whole = readFileSync(file, 'utf8');
  const restore = () => writeFileSync(file, whole);
  process.once('exit', restore);
  const startedAt = Date.now();
  writeFileSync(
    file,
    whole.replace(find, () => put),
  );
  build();
  const { status, stdout } = spawnSync(
    process.execPath,
    [jest, '--selectProjects', 'pure', 'in-process', 'real', '--testPathPatterns', ...specs],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS },
  );
  restore();
  process.removeListener('exit', restore);
  // A run that began no test, or took too long, says nothing about the guard.
  const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(stdout) ?? [];
  const isCaught = status !== 0 && Number(failed) > 0;
  if (!isCaught) alive.push(guard);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `${isCaught ? 'caught' : 'ALIVE '}  ${seconds.padStart(3)} s  ${guard} (${failed ?? '?'} failed, ${passed ?? '?'} passed)`,
  );
}
build();
console.log(`${chosen.length - alive.length} of ${chosen.length} broken guards were caught`);
process.exitCode = alive.length > 0 ? 1 : 0;

/** Specs start compiled files. */
function build() {
  spawnSync(process.execPath, ['build.mjs'], { stdio: 'ignore' });
}
