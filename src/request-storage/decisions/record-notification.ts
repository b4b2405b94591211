import { type Change, insert, update } from '../../core/change.js';
import { type Answer, type Capabilities } from '../../psp/contract.js';
import { type NotificationItem } from '../../psp/notification.js';
import { isSecondObject, type OperationHistory, orphansOf, responseOf } from './attempt.js';
import { referenceIn } from './reference.js';
import { type RuledOut } from './next-step.js';
import {
  type FlightTime,
  isAboutCancel,
  isAcceptance,
  isFailoverCancel,
  isOfStatement,
  type RouteHistory,
  isSuccess,
  assessRoute,
} from './assess-route.js';
import { type PspAttempt, type Route } from '../route.entity.js';
import { pspAttempts, pspRequests } from '../route.table.js';

/**
 * The result of a fact from a notification of a PSP.
 *
 * - `applied`        it was written down, and the operation was driven on with it
 * - `recorded`       it was written down; another run drives the operation, and decides with it
 * - `known`          it says nothing that is not known already
 * - `contradiction`  the operation is decided, and the fact says otherwise: a person has to look
 * - `unknown`        no operation of ours is known by these names (yet: the answer of the call that
 *                    made it may still be on its way)
 */
export type NotificationOutcome = 'applied' | 'recorded' | 'known' | 'contradiction' | 'unknown';

/** Applies facts from notifications of PSPs; every module that owns operations uses this interface. */
export interface ItemRecorder {
  /** May be called twice with the same fact. @throws StoreUnavailable */
  recordNotification(psp: string, fact: NotificationItem, traceId: string): Promise<NotificationOutcome>;
}

type Histories = ReadonlyMap<string, OperationHistory>;
type NamedObjects = Pick<Capabilities, 'isOwnName'>;

/** Which route a fact is about. */
interface Attribution {
  readonly route: RouteHistory;
  /** The fact carries our name of this operation and identifies one route of it. */
  readonly named: boolean;
}

/**
 * Evidence belongs to the object that it names. A fact is about a route if it carries our name of that operation,
 * or a PSP id that the route knows. A fact with neither counts for no route, with one exception: a success for the
 * same money may belong to the only open operation of its kind.
 *
 * Null if the fact is about none of these routes, as far as we know. `contradiction` if it names one operation and
 * carries the id of another.
 */
export function attribute(
  histories: Histories,
  psp: string,
  fact: NotificationItem,
  can: NamedObjects,
): Attribution | 'contradiction' | null {
  const { entityKey, pspReference } = fact;
  const routes = [...histories.values()]
    .flatMap((history) => history.routes)
    .filter(({ request }) => request.psp === psp && mayBeAbout(request, fact));
  const named = routes.filter(
    ({ request }) => entityKey !== null && isNamed(request.entityKey, entityKey, can),
  );
  const knowing = routes.filter((route) => pspReference !== null && knows(route, pspReference));
  // The PSP's id first: it is signed, and a route number that the PSP returns need not be.
  const both = latest(named.filter((route) => knowing.includes(route)));
  if (both) return { route: both, named: true };
  if (named.length > 0 && knowing.length > 0) return 'contradiction';
  const known = latest(knowing);
  if (known) return { route: known, named: false };
  return byName(named, fact) ?? byKind(histories, routes, named, fact, can);
}

function isNamed(entityKey: string, handedBack: string, { isOwnName }: NamedObjects): boolean {
  return isOwnName ? isOwnName(entityKey, handedBack) : entityKey === handedBack;
}

/**
 * A fact that names no operation is about the payment itself. So is a fact about a cancel: only payments are
 * canceled.
 */
function mayBeAbout({ operation }: Route, fact: NotificationItem): boolean {
  const isPayment = operation === 'charge' || operation === 'authorize';
  if (fact.about === 'cancel' && !isPayment) return false;
  return fact.operation === null ? isPayment : fact.operation === operation;
}

/** Whether the route knows this id as that of its object. */
function knows({ request, attempts }: RouteHistory, pspReference: string): boolean {
  return (
    request.pspReference === pspReference ||
    attempts.some((a) => a.kind !== 'cancel' && !isOfStatement(a) && referenceIn(a) === pspReference)
  );
}

/** Whether a fact has an id that the route does not know. */
export function isUnknownReference(route: RouteHistory, pspReference: string | null): boolean {
  return pspReference !== null && !knows(route, pspReference);
}

/** Routes that share an id follow one another: each but the last was ruled out before the next one began. */
function latest(routes: readonly RouteHistory[]): RouteHistory | undefined {
  return routes.find(({ request }) => request.verdict !== 'ruled_out') ?? routes.at(-1);
}

/** By our name, if it identifies one route. */
function byName(named: readonly RouteHistory[], fact: NotificationItem): Attribution | null {
  const [only, ...others] =
    fact.route === null ? named : named.filter(({ request }) => request.route === fact.route);
  if (!only || others.length > 0) return null;
  // The PSP has another object under the same name: a fact about that one says nothing about this one.
  const isOther = isAnother(only, fact.pspReference);
  return isOther && fact.answer.outcome !== 'succeeded' ? null : { route: only, named: true };
}

/** The PSP has accepted the route's request, and not only under this id. */
function isAnother({ attempts }: RouteHistory, pspReference: string | null): boolean {
  const taken = attempts.filter((a) => isSuccess(a) || isAcceptance(a)).map(referenceIn);
  const ids = taken.filter((id) => id !== null);
  return pspReference !== null && ids.length > 0 && !ids.includes(pspReference);
}

/** By the object that it acts upon, if nothing else matches: never for a failure, and never for other money. */
function byKind(
  histories: Histories,
  routes: readonly RouteHistory[],
  named: readonly RouteHistory[],
  { entityKey, route, operation, about, pspReference, answer }: NotificationItem,
  can: NamedObjects,
): Attribution | null {
  if (operation === null || about === 'cancel' || answer.outcome !== 'succeeded') return null;
  const [only, ...others] = routes.filter(({ request }) => request.verdict === 'open');
  if (!only || others.length > 0 || isAnother(only, pspReference)) return null;
  const isMeant =
    named.length > 0
      ? named.includes(only) && route === null
      : entityKey === null || isOfPaymentItself(histories, entityKey, can);
  if (!isMeant) return null;
  const { amount, currency } = only.request;
  const { money } = answer;
  // A void has no amount: no matter who requested it, the payment is void.
  const isSameMoney = money?.amount === amount && money.currency === currency;
  return isSameMoney || (operation === 'void' && !money) ? { route: only, named: false } : null;
}

/** Some PSPs return the name of the payment for a capture, void or refund of it. */
function isOfPaymentItself(histories: Histories, name: string, can: NamedObjects): boolean {
  return [...histories.values()].some(
    ({ entityKey, routes }) =>
      isNamed(entityKey, name, can) &&
      routes.some(({ request: { operation } }) => operation === 'charge' || operation === 'authorize'),
  );
}

/** The result of a fact, with the changes for it; without changes the fact is known, or contradicts. */
interface RecordedItem {
  readonly taken: Exclude<NotificationOutcome, 'unknown'>;
  readonly changes: readonly Change[];
  /** A capture, a refund or a payout that the PSP had done failed later: its owner reverses it in the same commit. */
  readonly reversed?: RuledOut;
}

/** The most different facts that are stored for one route. */
const MAX_NOTICES = 50;

/**
 * The changes that a fact means for a route. While the route is open the fact is evidence, stored with the calls and assessed
 * with them. Nothing overwrites a decided route: a success for a route that was ruled out is an orphan effect, and
 * any other contradiction is for a person.
 */
export function recordItem(
  { route, named }: Attribution,
  histories: Histories,
  item: NotificationItem,
  can: Capabilities,
  flight: FlightTime,
  { now, traceId }: { readonly now: Date; readonly traceId: string },
): RecordedItem {
  const { request, attempts } = route;
  const fact = heldTo(request, item);
  const attempt = noticeOf(route, fact, named, now, traceId);
  const before = attempts.find((a) => saysTheSame(a, attempt));
  const isOpen = request.verdict === 'open';
  const notices = attempts.filter(({ kind }) => kind === 'notice').length;
  if (!before && notices >= MAX_NOTICES) return { taken: 'contradiction', changes: [] };
  if (isOpen) {
    return {
      taken: 'recorded',
      changes: before ? [] : [raised(request, fact.answer), insert(pspAttempts, attempt)],
    };
  }
  const reversed = reversalBy(route, fact, attempt, can, flight);
  if (reversed) {
    const isNew = reversed.by === attempt;
    const changes = isNew ? [raised(request, {}), insert(pspAttempts, attempt)] : [];
    return isNew ? { taken: 'applied', changes, reversed } : { taken: 'known', changes };
  }
  const taken = afterTheFact(route, histories, fact, can, flight);
  if (taken === 'known' || before) return { taken, changes: [] };
  return {
    taken,
    changes: [raised(request, {}), insert(pspAttempts, attempt), ...orphansOf(route, attempt)],
  };
}

/** A success with another amount than requested is none. */
function heldTo({ amount, currency }: Route, fact: NotificationItem): NotificationItem {
  const { outcome, money } = fact.answer;
  if (outcome !== 'succeeded' || !money || (money.amount === amount && money.currency === currency))
    return fact;
  return { ...fact, answer: { ...fact.answer, outcome: 'conflict', pspCode: 'money_differs' } };
}

/**
 * A capture or a refund may fail days after the PSP did it, and a payout may come back. Only a failure of exactly the object
 * that had succeeded, by its id, reverses it; a failure that names another object, or none, is for a person.
 */
function reversalBy(
  { request, attempts }: RouteHistory,
  { about, answer }: NotificationItem,
  notice: PspAttempt,
  can: Capabilities,
  flight: FlightTime,
): RuledOut | null {
  const { operation, verdict } = request;
  const mayReverse =
    (operation === 'capture' || operation === 'refund' || operation === 'payout') && verdict === 'effective';
  if (!mayReverse || about !== 'operation' || answer.outcome !== 'declined') return null;
  if (answer.pspReference !== request.pspReference) return null;
  const history = { request: { ...request, verdict: 'open' as const }, attempts: [...attempts, notice] };
  const evidence = assessRoute(history, can, flight);
  return evidence.verdict === 'ruled_out' ? evidence : null;
}

/** The result of a fact about a decided route. */
function afterTheFact(
  route: RouteHistory,
  histories: Histories,
  { about, pspReference, answer: { outcome } }: NotificationItem,
  can: Capabilities,
  flight: FlightTime,
): RecordedItem['taken'] {
  if (outcome === 'conflict') return 'contradiction';
  const { request, attempts } = route;
  const { operation, verdict } = request;
  const isPayment = operation === 'charge' || operation === 'authorize';
  const isSecond = isSecondObject(route, pspReference);
  if (verdict === 'effective') {
    if (isSecond && outcome === 'succeeded') return 'applied';
    // A fact about a second payment says nothing about the first.
    if (isSecond && isPayment) return 'known';
    if (outcome === 'canceled') return isCalledOff(histories) ? 'known' : 'contradiction';
    // A payment is not refused after it was made: such a fact is old. A capture, a refund or a payout may fail days later
    // (`reversalBy`); what names another object of it is for a person.
    return outcome === 'declined' && about === 'operation' && !isPayment ? 'contradiction' : 'known';
  }
  const evidence = assessRoute({ request: { ...request, verdict: 'open' }, attempts }, can, flight);
  const proof = evidence.verdict === 'ruled_out' ? evidence.kind : null;
  if (about === 'cancel') {
    // We counted the receipt of the request as success, and the PSP did not carry it out.
    const isReceipt = evidence.verdict === 'ruled_out' && evidence.by.outcome === 'pending';
    return outcome === 'declined' && isReceipt ? 'contradiction' : 'known';
  }
  if (outcome !== 'succeeded') return 'known';
  // Notifications about an object that was made and then canceled or failed may come in any order. That an order to
  // cancel was received does not say that the object was there to be canceled: it may have been made since.
  const isVoid = evidence.verdict === 'ruled_out' && evidence.by.outcome === 'canceled';
  if (proof === 'cancel_acknowledged' && isVoid && !isSecond) return 'known';
  const failedSince = !isPayment && evidence.verdict === 'ruled_out' && isSame(evidence.by, pspReference);
  return failedSince ? 'known' : 'applied';
}

/** The failure was about exactly the object that the PSP had made. */
function isSame(by: PspAttempt, pspReference: string | null): boolean {
  return by.outcome === 'declined' && pspReference !== null && referenceIn(by) === pspReference;
}

/** The merchant requested the void, now or before. */
function isCalledOff(histories: Histories): boolean {
  const routes = [...histories.values()].flatMap((history) => history.routes);
  return routes.some(
    ({ request: { operation, verdict } }) => operation === 'void' && verdict !== 'ruled_out',
  );
}

function noticeOf(
  { request, attempts }: RouteHistory,
  fact: NotificationItem,
  named: boolean,
  now: Date,
  traceId: string,
): PspAttempt {
  const { merchantId, entityKey, route, operation } = request;
  const { about, cancelReference, answer } = fact;
  const cancels = attempts.filter(({ kind }) => kind === 'cancel');
  const isOfFailoverCancel = about === 'cancel' && cancels.length > 0 && cancels.every(isFailoverCancel);
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
    request: {
      operation,
      about,
      ...(named ? { named } : {}),
      ...(isOfFailoverCancel ? { fence: true } : {}),
    },
    response: {
      ...responseOf(answer),
      ...(cancelReference === null ? {} : { cancel_reference: cancelReference }),
    },
    startedAt: now,
    endedAt: now,
  };
}

/** The same fact again, under another event or the same. */
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
 * Raising the version makes a concurrent decision fail and be recomputed. The resolver decides with the fact at
 * once, also if the process that recorded it dies; a stuck route stays stuck until it is decided.
 */
function raised(request: Route, { pspReference }: Pick<Answer, 'pspReference'>): Change {
  const { merchantId, entityKey, route, version, verdict } = request;
  const learned = verdict === 'open' && request.pspReference === null && pspReference !== undefined;
  const set = { version: version + 1, ...(learned ? { pspReference } : {}) };
  return update(pspRequests, { merchantId, entityKey, route }, set, { version, verdict });
}
