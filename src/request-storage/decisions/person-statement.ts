import { type PspAttempt, type Route } from '../route.entity.js';

/** A person's finding about a stuck route, from the PSP's dashboard or its support. */
export interface Statement {
  readonly isDone: boolean;
  /** The evidence, up to 500 characters. */
  readonly evidence: string;
  /** The PSP's id of the object that it made. */
  readonly pspReference: string | null;
  /** The last attempt of the route that the person looked at. */
  readonly seenAttempt: number;
  /** The person knows that the PSP has said otherwise. */
  readonly overrulesPsp: boolean;
  /** Not done: it was there, and has been given back since. */
  readonly isGivenBack?: boolean;
  /** The author, as in audit records: `operator:<name>`. */
  readonly by: string;
}

/** A person's statement, stored with the calls of the route: a notice that no PSP sent. */
export function statementAttempt(
  { request, attempts }: { readonly request: Route; readonly attempts: readonly PspAttempt[] },
  { isDone, evidence, pspReference, seenAttempt, overrulesPsp, isGivenBack, by }: Statement,
  now: Date,
  traceId: string,
): PspAttempt {
  const { merchantId, entityKey, route, operation } = request;
  return {
    merchantId,
    entityKey,
    route,
    attempt: attempts.at(-1)!.attempt + 1,
    kind: 'notice',
    outcome: isDone ? 'succeeded' : 'not_found',
    decline: null,
    pspCode: null,
    httpStatus: null,
    latencyMs: null,
    traceId,
    request: {
      operation,
      about: 'operation',
      stated_by: by,
      seen_attempt: seenAttempt,
      ...(overrulesPsp ? { overrules_psp: true } : {}),
      ...(isGivenBack ? { given_back: true } : {}),
    },
    response: { evidence, ...(pspReference === null ? {} : { psp_reference: pspReference }) },
    startedAt: now,
    endedAt: now,
  };
}

/** The author; null for everything from a PSP. */
export function statedBy({ request }: PspAttempt): string | null {
  const by = request['stated_by'];
  return typeof by === 'string' ? by : null;
}
