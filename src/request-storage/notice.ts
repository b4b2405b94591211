import { type Change, insert, update } from '../kernel/index.js';
import { type Answer, type Capabilities, type Fact, isHandedBackAs } from '../psp/index.js';
import { type OperationStory, orphanOf, responseOf } from './attempt.js';
import { referenceIn } from './reference.js';
import { type FlightTime, isAboutCancel, isFence, type RouteStory, weigh } from './evidence.js';
import { type PspAttempt, pspAttempts, type PspRequest, pspRequests } from './psp-request.entity.js';

/**
 * What became of a fact that a PSP told of its own accord.
 *
 * - `applied`        it was written down, and the operation was driven on with it
 * - `recorded`       it was written down; somebody else drives the operation, and decides with it
 * - `known`          it says nothing that is not known already
 * - `contradiction`  the operation is decided, and the fact says otherwise: a person has to look
 * - `unknown`        no operation of ours is known by these names (yet: the answer of the call that
 *                    made it may still be on its way)
 */
export type Taken = 'applied' | 'recorded' | 'known' | 'contradiction' | 'unknown';

/** Takes in what PSPs tell; every room that owns operations does it through this one face. */
export interface FactTaker {
  /** May be called twice with the same fact. @throws StoreUnavailable */
  take(psp: string, fact: Fact, traceId: string): Promise<Taken>;
}

type Stories = ReadonlyMap<string, OperationStory>;

/** Which route of these operations a fact speaks of; null where it is none of them. */
export function routeSpokenOf(stories: Stories, psp: string, fact: Fact): RouteStory | null {
  const { entityKey, pspReference, operation } = fact;
  const routes = [...stories.values()]
    .flatMap((story) => story.routes)
    .filter(({ request }) => request.psp === psp && (operation === null || request.operation === operation));
  const named = routes.filter(
    ({ request }) => entityKey !== null && isHandedBackAs(request.entityKey, entityKey),
  );
  // The PSP's own id first: it is signed, and a number that is handed back need not be.
  for (const those of [named, routes]) {
    const one = those.find(({ request }) => pspReference !== null && request.pspReference === pspReference);
    if (one) return one;
  }
  // Else the latest: whoever opens a route for the same operation has proved that nothing came of those before.
  if (named.length > 0) return named.find(({ request }) => request.route === fact.route) ?? named.at(-1)!;
  // By what it acts upon. Several that are alike and decided cannot be told apart.
  if (operation === null) return null;
  const open = routes.filter(({ request }) => request.verdict === 'open');
  const [only, ...others] = open.length > 0 ? open : routes;
  return only && others.length === 0 ? only : null;
}

/** What to write for a fact, and what it comes to. With nothing to write it is known, or contradicts. */
export interface Noted {
  readonly taken: Exclude<Taken, 'unknown'>;
  readonly changes: readonly Change[];
}

/** Different things that a PSP says of one route. More is no news but noise. */
const MOST_NOTICES = 50;

/**
 * What a fact means for a route. While the route is open it is evidence, written down beside the
 * calls, to be weighed with them. Once it is decided nothing is overwritten: a yes for what was ruled
 * out is an orphan effect, and anything else that does not fit is for a person.
 */
export function note(
  route: RouteStory,
  stories: Stories,
  told: Fact,
  can: Capabilities,
  flight: FlightTime,
  { now, traceId }: { readonly now: Date; readonly traceId: string },
): Noted {
  const { request, attempts } = route;
  const fact = heldTo(request, told);
  const attempt = noticeOf(route, fact, now, traceId);
  const before = attempts.find((a) => saysTheSame(a, attempt));
  const isOpen = request.verdict === 'open';
  const notices = attempts.filter(({ kind }) => kind === 'notice').length;
  if (!before && notices >= MOST_NOTICES) return { taken: 'contradiction', changes: [] };
  if (isOpen) {
    return {
      taken: 'recorded',
      changes: before ? [] : [raised(request, fact.answer), insert(pspAttempts, attempt)],
    };
  }
  const taken = afterTheFact(route, stories, fact, can, flight);
  if (taken === 'known' || before) return { taken, changes: [] };
  return { taken, changes: [raised(request, {}), insert(pspAttempts, attempt), ...orphanOf(route, attempt)] };
}

/** A yes about another amount than was asked for is none. */
function heldTo({ amount, currency }: PspRequest, fact: Fact): Fact {
  const { outcome, money } = fact.answer;
  if (outcome !== 'succeeded' || !money || (money.amount === amount && money.currency === currency))
    return fact;
  return { ...fact, answer: { ...fact.answer, outcome: 'conflict', pspCode: 'money_differs' } };
}

/** What a fact about a decided route comes to. */
function afterTheFact(
  { request, attempts }: RouteStory,
  stories: Stories,
  { about, pspReference, answer: { outcome } }: Fact,
  can: Capabilities,
  flight: FlightTime,
): Noted['taken'] {
  if (outcome === 'conflict') return 'contradiction';
  const { operation, verdict } = request;
  const isPayment = operation === 'charge' || operation === 'authorize';
  if (verdict === 'effective') {
    if (outcome === 'canceled') return isCalledOff(stories) ? 'known' : 'contradiction';
    // A payment was not refused after it was made: such a word is old. A capture, a refund or a payout
    // may fail days later.
    return outcome === 'declined' && about === 'operation' && !isPayment ? 'contradiction' : 'known';
  }
  const evidence = weigh({ request: { ...request, verdict: 'open' }, attempts }, can, flight);
  const proof = evidence.verdict === 'ruled_out' ? evidence.kind : null;
  if (about === 'cancel') {
    // The receipt of the order was believed, and then it was not carried out.
    const isReceipt = evidence.verdict === 'ruled_out' && evidence.by.outcome === 'pending';
    return outcome === 'declined' && isReceipt ? 'contradiction' : 'known';
  }
  if (outcome !== 'succeeded') return 'known';
  // What was made and then canceled, or came to nothing, is made known in that order, or in the other.
  if (proof === 'cancel_acknowledged') return 'known';
  const failedSince = !isPayment && evidence.verdict === 'ruled_out' && isSame(evidence.by, pspReference);
  return failedSince ? 'known' : 'applied';
}

/** The no was about that very thing, which the PSP had made. */
function isSame(by: PspAttempt, pspReference: string | null): boolean {
  return by.outcome === 'declined' && pspReference !== null && referenceIn(by) === pspReference;
}

/** The merchant has it voided, or has had. */
function isCalledOff(stories: Stories): boolean {
  const routes = [...stories.values()].flatMap((story) => story.routes);
  return routes.some(
    ({ request: { operation, verdict } }) => operation === 'void' && verdict !== 'ruled_out',
  );
}

function noticeOf({ request, attempts }: RouteStory, fact: Fact, now: Date, traceId: string): PspAttempt {
  const { merchantId, entityKey, route, operation } = request;
  const { about, cancelReference, answer } = fact;
  const cancels = attempts.filter(({ kind }) => kind === 'cancel');
  const isOfFence = about === 'cancel' && cancels.length > 0 && cancels.every(isFence);
  return {
    merchantId,
    entityKey,
    route,
    attempt: attempts.at(-1)!.attempt + 1,
    kind: 'notice',
    outcome: answer.outcome,
    decline: answer.outcome === 'declined' && about === 'operation' ? (answer.decline ?? 'declined') : null,
    pspCode: answer.pspCode ?? null,
    httpStatus: null,
    latencyMs: null,
    traceId,
    request: { operation, about, ...(isOfFence ? { fence: true } : {}) },
    response: {
      ...responseOf(answer),
      ...(cancelReference === null ? {} : { cancel_reference: cancelReference }),
    },
    startedAt: now,
    endedAt: now,
  };
}

/** The same fact told again, under another event or the same. */
function saysTheSame(a: PspAttempt, b: PspAttempt): boolean {
  return (
    a.kind === 'notice' &&
    a.outcome === b.outcome &&
    isAboutCancel(a) === isAboutCancel(b) &&
    a.response?.['cancel_reference'] === b.response?.['cancel_reference'] &&
    a.response?.['psp_reference'] === b.response?.['psp_reference']
  );
}

/**
 * Whoever decides without it decides again. What was told is looked at at once, by a worker if whoever
 * took it in dies; a route that was given up stays so until it is decided.
 */
function raised(request: PspRequest, { pspReference }: Pick<Answer, 'pspReference'>): Change {
  const { merchantId, entityKey, route, fence, verdict } = request;
  const learned = verdict === 'open' && request.pspReference === null && pspReference !== undefined;
  const set = { fence: fence + 1, ...(learned ? { pspReference } : {}) };
  return update(pspRequests, { merchantId, entityKey, route }, set, { fence, verdict });
}
